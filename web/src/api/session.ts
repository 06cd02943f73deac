import { queryOptions, useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { setCalendar } from '../ui/calendar.ts';
import { ApiError, onProblem, sessionApi, setOrganization } from './client.ts';

const key = ['session'];

const otherTabs = new BroadcastChannel('runcost-session');

type SessionData = NonNullable<ReturnType<typeof useSession>['data']>;

export const sessionQuery = queryOptions({
  queryKey: key,
  staleTime: 60_000,
  refetchOnWindowFocus: 'always',
  queryFn: async () => {
    try {
      return (await sessionApi.GET('/api/v1/session')).data!.data;
    } catch (error) {
      if (isSignedOut(error)) return null;
      throw error;
    }
  },
});

export function useSession() {
  return useQuery(sessionQuery);
}

function isSignedOut(error: unknown): boolean {
  return error instanceof ApiError && error.status === 401;
}

/** The session as the signed-in pages see it: it does not change while they are open. */
export const SignedIn = createContext<Pick<SessionData, 'organization' | 'command_line'> | null>(null);

function useSignedIn() {
  const session = useContext(SignedIn);
  if (!session) throw new Error('You are not signed in.');
  return session;
}

export function useOrganizationId(): string {
  return useSignedIn().organization.id;
}

export function useOrganization() {
  return useSignedIn().organization;
}

export function useCommandLine(): string {
  return useSignedIn().command_line;
}

let isSigningOut = false;

export function useSignIn() {
  const queryClient = useQueryClient();
  return async (secret: { token: string } | { code: string }) => {
    const { data } = await sessionApi.POST('/api/v1/session', { body: secret });
    queryClient.setQueryData(key, data!.data);
    otherTabs.postMessage('signed in');
  };
}

export function useSignOut() {
  const queryClient = useQueryClient();
  return async (whose: 'this' | 'everywhere' | 'everyone' = 'this') => {
    let elsewhere: string | null = null;
    try {
      if (whose === 'this')
        elsewhere = (await sessionApi.DELETE('/api/v1/session')).data!.data.provider_address;
      else await sessionApi.DELETE('/api/v1/sessions', { params: { query: { all: whose === 'everyone' } } });
    } catch (error) {
      if (!isSignedOut(error)) throw error;
    }
    isSigningOut = true;
    queryClient.setQueryData(key, null);
    isSigningOut = false;
    otherTabs.postMessage('signed out');
    // The identity provider ends its own session, and leads back here.
    if (elsewhere !== null) location.assign(elsewhere);
  };
}

/** `ended`: by the server or in another tab. `switched`: another tab signed in to another organization. */
export type SessionChange =
  | { kind: 'ended' }
  | { kind: 'switched'; organizationName: string }
  | { kind: 'signed in' };

export function followSession(queryClient: QueryClient, notify: (change: SessionChange) => void): void {
  let seen = queryClient.getQueryData<SessionData | null>(key);
  if (seen) adopt(seen);
  queryClient.getQueryCache().subscribe(({ type, query }) => {
    if (type !== 'updated' || query.queryKey[0] !== key[0]) return;
    const before = seen;
    const now = (seen = query.state.data as typeof seen);
    adopt(now ?? null);
    if (!now) {
      if (!before) return;
      clearAll(queryClient);
      if (!isSigningOut) notify({ kind: 'ended' });
    } else if (before && before.organization.id !== now.organization.id) {
      clearAll(queryClient);
      notify({ kind: 'switched', organizationName: now.organization.name });
    } else if (before === null) notify({ kind: 'signed in' });
  });

  const readAgain = () => void queryClient.refetchQueries({ queryKey: key });
  otherTabs.addEventListener('message', readAgain);
  onProblem(({ status, code }) => {
    if (status === 401 || code === 'wrong_organization') readAgain();
    // Rights may have been withdrawn. But a page may also poll for what was never allowed, so only reload if
    // stale.
    else if (status === 403) void queryClient.refetchQueries({ queryKey: key, stale: true });
  });
}

/** Requests and times follow the session's organization. */
export function adopt(session: SessionData | null): void {
  setOrganization(session?.organization.id ?? null);
  setCalendar(session?.organization ?? null);
}

function clearAll(queryClient: QueryClient): void {
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== key[0] });
}
