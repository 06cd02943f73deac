import { queryOptions, useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { createContext, useContext, useEffect } from 'react';
import { setCalendar } from './calendar.ts';
import { api, ApiError, onProblem, sessionApi, setOrganization } from './client.ts';
import {
  nameInAddresses,
  organizationAsked,
  useOrganizationAsked,
  withOrganization,
} from './organization.ts';
import type { Answer } from './query.ts';

const key = ['session'];

const otherTabs = new BroadcastChannel('runcost-session');

type SessionData = NonNullable<ReturnType<typeof useSession>['data']>;
export type OwnOrganization = Answer<'/api/v1/session/organizations'>[number];

/** The address names an organization that the person does not belong to, or has not entered. */
export class NoAccess extends ApiError {
  readonly asked: string;
  readonly organizations: OwnOrganization[];
  /** Set if the person belongs to it but must sign in with its identity provider. */
  readonly needsProvider: OwnOrganization | undefined;

  constructor(asked: string, organizations: OwnOrganization[]) {
    super(403, { code: 'no_access', detail: `You have no access to ${asked}.` });
    this.asked = asked;
    this.organizations = organizations;
    this.needsProvider = namedBy(organizations, asked);
  }
}

export const sessionQuery = (asked: string | null) =>
  queryOptions({
    queryKey: [...key, asked],
    staleTime: 60_000,
    refetchOnWindowFocus: 'always',
    queryFn: async ({ client }) => {
      try {
        return await readSession(asked);
      } catch (error) {
        if (!isSignedOut(error)) throw error;
        if (error.code === 'session_ended' && !isSigningOut) client.setQueryData(endedKey, true);
        return null;
      }
    },
  });

const endedKey = ['session ended'];

/** Whether a session has ended in another way than by signing out here. */
export function useHasEnded(): boolean {
  const { data } = useQuery({
    queryKey: endedKey,
    queryFn: () => false,
    initialData: false,
    staleTime: Infinity,
  });
  return data;
}

export function useSession() {
  const queryClient = useQueryClient();
  const session = useQuery(sessionQuery(useOrganizationAsked()));
  // Sets the organization before the pages send requests.
  if (session.data !== undefined) adopt(queryClient, session.data);
  return session;
}

/** Ids of other organizations that were entered, by their names in addresses. */
const entered = new Map<string, string>();

async function readSession(asked: string | null) {
  // On the server, `entered` would be shared by different people.
  const id = asked === null || typeof window === 'undefined' ? undefined : entered.get(asked);
  if (id !== undefined) {
    const known = await readOwn(id).catch((error: unknown) => {
      if (error instanceof ApiError && error.status === 403) return null;
      throw error;
    });
    if (known) return known;
  }
  const home = await readOwn();
  if (asked === null || namedBy([home.organization], asked)) return home;
  const organizations = (await sessionApi.GET('/api/v1/session/organizations')).data!.data;
  const found = namedBy(organizations, asked);
  if (!found || (!found.is_entered && found.single_sign_on_required)) {
    throw new NoAccess(asked, organizations);
  }
  if (!found.is_entered) {
    await sessionApi.POST('/api/v1/session/organizations', { body: { organization_id: found.id } });
  }
  entered.set(asked, found.id);
  return readOwn(found.id);
}

async function readOwn(id?: string) {
  const params = { query: id === undefined ? {} : { org_id: id } };
  return (await sessionApi.GET('/api/v1/session', { params })).data!.data;
}

function namedBy<T extends { id: string; login: string | null; address_name: string }>(
  organizations: readonly T[],
  asked: string,
): T | undefined {
  const is = (text: string | null) => text?.toLowerCase() === asked.toLowerCase();
  return organizations.find(({ address_name: name }) => is(name)) ?? organizations.find(({ id }) => is(id));
}

/** Adds the organization to an address that was opened without one. */
export function useNamedAddress(session: SessionData | null | undefined): void {
  const queryClient = useQueryClient();
  const asked = useOrganizationAsked();
  useEffect(() => {
    const { pathname, search, hash } = location;
    const address = pathname + search + hash;
    const named = session ? withOrganization(address) : address;
    if (!session || named === address) return;
    queryClient.setQueryData([...key, session.organization.address_name], session);
    history.replaceState(history.state, '', named);
  }, [session, asked]);
}

export function useOwnOrganizations() {
  const { data: session } = useSession();
  return useQuery({
    queryKey: ['/api/v1/session/organizations'],
    queryFn: async () => (await api.GET('/api/v1/session/organizations')).data!.data,
    enabled: (session?.other_organizations ?? 0) > 0,
    staleTime: 60_000,
  });
}

function isSignedOut(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 401;
}

/** The session for signed-in pages. It does not change while they are open. */
export const SignedIn = createContext<Pick<
  SessionData,
  'organization' | 'command_line' | 'public_url' | 'is_public'
> | null>(null);

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

export function usePublicUrl(): { url: string; isPublic: boolean } {
  const { public_url: url, is_public: isPublic } = useSignedIn();
  return { url, isPublic };
}

let isSigningOut = false;

export function useSignIn() {
  const queryClient = useQueryClient();
  return async (secret: { token: string } | { code: string }) => {
    await sessionApi.POST('/api/v1/session', { body: secret });
    await queryClient.refetchQueries({ queryKey: [...key, organizationAsked()] });
    otherTabs.postMessage('signed in');
  };
}

export function useSignOut() {
  const queryClient = useQueryClient();
  return async (whose: 'this' | 'everywhere' | 'everyone' = 'this') => {
    let elsewhere: string | null = null;
    // Set before the requests, because a query of the page may notice the end of the session in between.
    isSigningOut = true;
    try {
      if (whose === 'this')
        elsewhere = (await sessionApi.DELETE('/api/v1/session')).data!.data.provider_address;
      else {
        await api.DELETE('/api/v1/sessions', { params: { query: { all: whose === 'everyone' } } });
        // The session is in another organization than the one that this browser signed in to.
        await sessionApi.DELETE('/api/v1/session');
      }
    } catch (error) {
      if (!isSignedOut(error)) {
        isSigningOut = false;
        throw error;
      }
    }
    queryClient.setQueryData([...key, organizationAsked()], null);
    queryClient.removeQueries({ queryKey: key, type: 'inactive' });
    isSigningOut = false;
    otherTabs.postMessage('signed out');
    // The identity provider ends its own session and redirects back.
    if (elsewhere !== null) location.assign(elsewhere);
  };
}

/** Detects that another tab has signed in to another organization. */
export function followSession(
  queryClient: QueryClient,
  notifySwitched: (organizationName: string) => void,
): void {
  let seen: { asked: string | null; session: SessionData | null } | undefined;
  const drawn = queryClient.getQueryData<SessionData | null>([...key, organizationAsked()]);
  if (drawn !== undefined) {
    seen = { asked: organizationAsked(), session: drawn };
    adopt(queryClient, drawn);
  }
  queryClient.getQueryCache().subscribe(({ type, query }) => {
    const [first, asked] = query.queryKey as [string, string | null];
    if (type !== 'updated' || first !== key[0] || asked !== organizationAsked()) return;
    const session = query.state.data as SessionData | null | undefined;
    const before = seen?.asked === asked ? seen.session : undefined;
    const wasSignedIn = !!seen?.session;
    if (session !== undefined) seen = { asked, session };
    adopt(queryClient, session ?? null);
    if (session) queryClient.setQueryData(endedKey, false);
    else if (session === null && wasSignedIn && !isSigningOut) queryClient.setQueryData(endedKey, true);
    if (session && before && before.organization.id !== session.organization.id)
      notifySwitched(session.organization.name);
  });

  const readAgain = () => void queryClient.refetchQueries({ queryKey: key });
  otherTabs.addEventListener('message', readAgain);
  onProblem(({ status, code }) => {
    if (status === 401 || code === 'wrong_organization') readAgain();
    // The person may have lost rights. But a page may also poll something that was never allowed, so the session
    // reloads only if it is stale.
    else if (status === 403) void queryClient.refetchQueries({ queryKey: key, stale: true });
  });
}

let adopted: string | null = null;

/** Switches to the session's organization and removes cached data of any other. */
export function adopt(queryClient: QueryClient, session: SessionData | null): void {
  const id = session?.organization.id ?? null;
  if (id !== adopted && adopted !== null) {
    queryClient.removeQueries({
      predicate: ({ queryKey: [first] }) => first !== key[0] && first !== endedKey[0],
    });
  }
  adopted = id;
  setOrganization(id);
  setCalendar(session?.organization ?? null);
  const isOneOfSeveral = session !== null && session.other_organizations > 0;
  nameInAddresses(isOneOfSeveral ? session.organization.address_name : null);
}
