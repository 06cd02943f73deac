import { useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { api, ApiError } from './client.ts';

const key = ['session'];

type SessionData = NonNullable<ReturnType<typeof useSession>['data']>;

/** Who is signed in; null when nobody is. */
export function useSession() {
  return useQuery({
    queryKey: key,
    staleTime: 60_000,
    queryFn: async () => {
      try {
        return (await api.GET('/api/v1/session')).data!.data;
      } catch (error) {
        if (error instanceof ApiError && error.status === 401) return null;
        throw error;
      }
    },
  });
}

/** Whoever is signed in, for the pages that are shown to them only: it does not change under them. */
export const SignedIn = createContext<Pick<SessionData, 'organization'> | null>(null);

/** The organization of whoever is signed in. */
export function useOrganizationId(): string {
  const session = useContext(SignedIn);
  if (!session) throw new Error('Nobody is signed in.');
  return session.organization.id;
}

export function useSignIn() {
  const queryClient = useQueryClient();
  return async (secret: { token: string } | { code: string }) => {
    const { data } = await api.POST('/api/v1/session', { body: secret });
    queryClient.setQueryData(key, data!.data);
  };
}

export function useSignOut() {
  const queryClient = useQueryClient();
  return async () => {
    await api.DELETE('/api/v1/session');
    // First, so that no page is left that would miss who is signed in.
    queryClient.setQueryData(key, null);
    queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== key[0] });
  };
}
