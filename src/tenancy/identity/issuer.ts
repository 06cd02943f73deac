import { LRUCache } from 'lru-cache';
import type { Configuration, ServerMetadata } from 'openid-client';
import type { Program } from '../../context.ts';
import { createFetch } from '../../platform/egress/fetch.ts';
import { sharedTenantFault } from '../../platform/lib/signInSettings.ts';
import { leavesOutGroups, mergeClaims, personOf } from './claims.ts';
import type { Person } from './decide.ts';
import { AccessEnded, gitHubMetadata, readGitHubPerson } from './gitHub.ts';
import type { Provider } from './providers.ts';

const timeoutMilliseconds = 5_000;
/** Issuers sometimes change keys and endpoints. */
const keptMilliseconds = 10 * 60_000;
/** Until then, everybody gets the same failure, and the issuer is left alone. */
const failureKeptMilliseconds = 5_000;

/** Shared by all providers with the same issuer: one request, even if many people start at once. */
type Issuer = { metadata: Promise<ServerMetadata>; clients: Map<string, Configuration>; until: number };
const issuers = new WeakMap<Outbound['egress'], LRUCache<string, Issuer>>();

/** Kept in the browser's sealed cookie from the start to the callback. */
export type Proofs = { state: string; nonce: string; verifier: string };

/** The person, and the tokens with which we ask again and sign out later. */
export type Answered = { person: Person; refreshToken: string | null; idToken: string | null };

type Outbound = Pick<Program, 'egress' | 'clock'>;

// Loaded with the first sign-in, because most commands and servers never need it.
const loadClient = () => import('openid-client');

async function configurationOf(program: Outbound, provider: Provider): Promise<Configuration> {
  const client = await loadClient();
  const { kind, issuer, clientId, clientSecret } = provider;
  const { metadata, clients } = issuerOf(program, provider);
  const found = await metadata;
  const key = JSON.stringify([clientId, clientSecret]);
  let configuration = clients.get(key);
  if (!configuration) {
    configuration = new client.Configuration(found, clientId, clientSecret);
    configuration[client.customFetch] = createFetch(program.egress, timeoutMilliseconds);
    if (kind === 'oidc') client.enableNonRepudiationChecks(configuration);
    for (const allow of httpFor(client, issuer)) allow(configuration);
    clients.set(key, configuration);
  }
  return configuration;
}

function issuerOf({ egress, clock }: Outbound, provider: Provider): Issuer {
  const known = issuers.get(egress) ?? new LRUCache<string, Issuer>({ max: 100 });
  issuers.set(egress, known);
  const key = `${provider.kind} ${provider.issuer}`;
  const now = clock.now().getTime();
  const cached = known.get(key);
  if (cached && now < cached.until) return cached;
  const metadata = readMetadata(egress, provider);
  const issuer: Issuer = { metadata, clients: new Map(), until: now + keptMilliseconds };
  metadata.catch(() => {
    issuer.until = Math.min(issuer.until, clock.now().getTime() + failureKeptMilliseconds);
  });
  known.set(key, issuer);
  return issuer;
}

async function readMetadata(egress: Outbound['egress'], provider: Provider): Promise<ServerMetadata> {
  const { kind, issuer, clientId, clientSecret } = provider;
  if (kind === 'github') return gitHubMetadata(issuer);
  const tenantFault = sharedTenantFault(issuer);
  if (tenantFault) throw new Error(`The issuer ${tenantFault}.`);
  const client = await loadClient();
  const configuration = await client.discovery(new URL(issuer), clientId, clientSecret, undefined, {
    execute: httpFor(client, issuer),
    [client.customFetch]: createFetch(egress, timeoutMilliseconds),
  });
  return configuration.serverMetadata();
}

type Client = Awaited<ReturnType<typeof loadClient>>;

/** The client compares this function by identity. */
function httpFor(client: Client, issuer: string): ((configuration: Configuration) => void)[] {
  if (!issuer.startsWith('http://')) return [];
  // oxlint-disable-next-line typescript/no-deprecated -- the egress decides where http:// may be called
  return [client.allowInsecureRequests];
}

/** Where to send the browser at the provider. */
export async function beginAt(
  program: Outbound,
  provider: Provider,
  redirectUri: string,
): Promise<{ address: string; proofs: Proofs }> {
  const client = await loadClient();
  const configuration = await configurationOf(program, provider);
  const proofs = {
    state: client.randomState(),
    nonce: client.randomNonce(),
    verifier: client.randomPKCECodeVerifier(),
  };
  const address = client.buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri,
    scope: scopesOf(configuration, provider).join(' '),
    state: proofs.state,
    code_challenge: await client.calculatePKCECodeChallenge(proofs.verifier),
    code_challenge_method: 'S256',
    ...(provider.kind === 'oidc' && { nonce: proofs.nonce }),
  });
  return { address: address.href, proofs };
}

function scopesOf(configuration: Configuration, { kind }: Provider): string[] {
  if (kind === 'github') return ['read:user', 'user:email', 'read:org'];
  const offered = configuration.serverMetadata().scopes_supported ?? [];
  return [
    'openid',
    'profile',
    'email',
    ...['offline_access', 'groups'].filter((name) => offered.includes(name)),
  ];
}

/** `callback` is the URL to which the provider sent the browser back. */
export async function finishAt(
  program: Outbound,
  provider: Provider,
  callback: URL,
  { state, nonce, verifier }: Proofs,
): Promise<Answered> {
  const client = await loadClient();
  const configuration = await configurationOf(program, provider);
  const isOidc = provider.kind === 'oidc';
  const tokens = await client.authorizationCodeGrant(configuration, callback, {
    pkceCodeVerifier: verifier,
    expectedState: state,
    ...(isOidc && { expectedNonce: nonce, idTokenExpected: true }),
  });
  return answeredOf(program, provider, configuration, tokens, null);
}

/** Throws `AccessEnded` if the provider says that the person no longer has access. */
export async function askAgain(
  program: Outbound,
  provider: Provider,
  { refreshToken, subject }: { refreshToken: string; subject: string },
): Promise<Answered> {
  const client = await loadClient();
  const configuration = await configurationOf(program, provider);
  if (provider.kind === 'github') {
    const tokens = { access_token: refreshToken };
    return answeredOf(program, provider, configuration, tokens, subject);
  }
  const tokens = await client.refreshTokenGrant(configuration, refreshToken).catch((error: unknown) => {
    if (error instanceof client.ResponseBodyError && error.error === 'invalid_grant') {
      throw new AccessEnded('the provider no longer accepts the refresh token');
    }
    throw error;
  });
  const answered = await answeredOf(program, provider, configuration, tokens, subject);
  return { ...answered, refreshToken: answered.refreshToken ?? refreshToken };
}

type Tokens = {
  access_token: string;
  id_token?: string;
  refresh_token?: string;
  claims?: () => Record<string, unknown> | undefined;
};

async function answeredOf(
  { egress }: Outbound,
  provider: Provider,
  configuration: Configuration,
  tokens: Tokens,
  knownSubject: string | null,
): Promise<Answered> {
  const { access_token: accessToken, id_token: idToken = null, refresh_token: refreshToken = null } = tokens;
  if (provider.kind === 'github') {
    const person = await readGitHubPerson(
      createFetch(egress, timeoutMilliseconds),
      provider.issuer,
      accessToken,
    );
    if (knownSubject !== null && person.subject !== knownSubject) throw new AccessEnded('another person');
    return { person, refreshToken: accessToken, idToken: null };
  }
  const client = await loadClient();
  const inToken = tokens.claims?.() ?? {};
  const subject = knownSubject ?? String(inToken['sub']);
  if (inToken['sub'] !== undefined && inToken['sub'] !== subject) throw new AccessEnded('another person');
  const { issuer, userinfo_endpoint: userInfo } = configuration.serverMetadata();
  const userClaims = userInfo ? await client.fetchUserInfo(configuration, accessToken, subject) : {};
  const claims = { sub: subject, ...mergeClaims(inToken, userClaims) };
  const person = personOf(issuer, claims, provider.groupsClaim);
  if (!person) throw new Error('The provider sent no usable subject.');
  // An ID token without the claim means that there is no group. User information alone may leave the claim
  // out.
  const isUnknown = idToken === null || leavesOutGroups(claims, provider.groupsClaim);
  const groups = person.groups ?? (isUnknown ? null : []);
  return { person: { ...person, groups }, refreshToken, idToken };
}

/** Where to end the person's session at the provider; null if the provider has no such address. */
export async function signOutAddress(
  program: Outbound,
  provider: Provider,
  { idToken, returnTo }: { idToken: string | null; returnTo: string },
): Promise<string | null> {
  if (provider.kind === 'github') return null;
  const client = await loadClient();
  const configuration = await configurationOf(program, provider);
  if (!configuration.serverMetadata().end_session_endpoint) return null;
  return client.buildEndSessionUrl(configuration, {
    post_logout_redirect_uri: returnTo,
    ...(idToken !== null && { id_token_hint: idToken }),
  }).href;
}
