import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';
import OpenIdProvider, { type Context } from 'oidc-provider';

type Account = {
  email?: string;
  email_verified?: boolean;
  name?: string;
  groups?: string[];
  /** Claims that must be fetched elsewhere, as for people with very many groups. */
  _claim_names?: Record<string, string>;
  _claim_sources?: Record<string, object>;
};

export type Issuer = {
  address: string;
  client: { issuer: string; client_id: string; client_secret: string };
  /** Claims by subject. A deleted person no longer has an account. */
  accounts: Map<string, Account>;
  /** The subject that signs in next; null shows a page that asks. */
  next: { subject: string | null; hasRefreshTokens: boolean };
  /** Claims that the issuer leaves out when it refreshes tokens. */
  refreshed: { hasIdTokens: boolean; namesGroups: boolean };
  /** Whether everything is answered with 503. */
  outage: { isOn: boolean };
  /** The requested paths. */
  asked: string[];
  /** Walks through the sign-in without a browser. Returns where the issuer redirects back to. */
  walk: (address: string) => Promise<URL>;
  stop: () => Promise<void>;
};

const client = { client_id: 'runcost', client_secret: randomBytes(32).toString('hex') };
const scopes = ['openid', 'offline_access', 'profile', 'email', 'groups'];

/**
 * A real OpenID provider on this machine. `origins` are the servers that use it. For browsers, `localhost` is a
 * different site than 127.0.0.1.
 */
export async function startIssuer(origins: string[], host = '127.0.0.1'): Promise<Issuer> {
  const server = createServer();
  await new Promise<void>((listening) => void server.listen(0, '127.0.0.1', listening));
  const address = `http://${host}:${(server.address() as AddressInfo).port}`;
  const accounts: Issuer['accounts'] = new Map();
  const next: Issuer['next'] = { subject: null, hasRefreshTokens: true };
  const refreshed: Issuer['refreshed'] = { hasIdTokens: true, namesGroups: true };
  const [asked, outage]: [string[], Issuer['outage']] = [[], { isOn: false }];
  const provider = createProvider(address, { origins, accounts, next });
  provider.use((context, proceed) => leaveOut(context, proceed, refreshed));
  const answer = provider.callback();
  server.on('request', (request, response) => {
    const { pathname, searchParams } = new URL(request.url!, address);
    asked.push(pathname);
    if (outage.isOn) return void response.writeHead(503).end();
    if (!pathname.startsWith('/interaction/')) return void answer(request, response);
    const accountId = searchParams.get('as') ?? next.subject;
    if (accountId === null) {
      const links = [...accounts.keys()].map((name) => `<a href="?as=${name}">Continue as ${name}</a>`);
      return void response.setHeader('content-type', 'text/html').end(links.join('<br>'));
    }
    void provider.interactionFinished(request, response, { login: { accountId } });
  });
  const stop = () => stopServer(server);
  after(stop);
  return {
    address,
    client: { issuer: address, ...client },
    accounts,
    next,
    refreshed,
    outage,
    asked,
    walk: (from) => walk(address, from),
    stop,
  };
}

function createProvider(
  address: string,
  { origins, accounts, next }: Pick<Issuer, 'accounts' | 'next'> & { origins: string[] },
): OpenIdProvider {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const provider: OpenIdProvider = new OpenIdProvider(address, {
    clients: [
      {
        ...client,
        grant_types: ['authorization_code', 'refresh_token'],
        redirect_uris: origins.map((origin) => `${origin}/sign-in/callback/any`),
        post_logout_redirect_uris: origins.map((origin) => `${origin}/sign-in`),
      },
    ],
    // Numbers, because the defaults are functions that print a request to replace them.
    ttl: {
      Interaction: 600,
      Grant: 86_400,
      Session: 86_400,
      AccessToken: 600,
      RefreshToken: 86_400,
      IdToken: 600,
    },
    cookies: { keys: [randomBytes(32).toString('hex')] },
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', kid: 'key' }] },
    scopes,
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'], groups: ['groups'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    issueRefreshToken: () => next.hasRefreshTokens,
    findAccount: (_: unknown, accountId: string) => {
      const account = accounts.get(accountId);
      return account && { accountId, claims: () => ({ sub: accountId, ...account }) };
    },
    loadExistingGrant: async ({ oidc }: Context) => {
      const grant = new provider.Grant({
        clientId: oidc.client.clientId,
        accountId: oidc.session.accountId,
      });
      grant.addOIDCScope(scopes.join(' '));
      await grant.save();
      return grant;
    },
  });
  // The organizations are created later, and each has its own address.
  const { Client } = provider as unknown as { Client: { prototype: { redirectUriAllowed: unknown } } };
  Client.prototype.redirectUriAllowed = (uri: string) =>
    origins.some((origin) => uri.startsWith(`${origin}/sign-in/callback/`));
  return provider;
}

async function leaveOut(
  context: Context,
  proceed: () => Promise<void>,
  { hasIdTokens, namesGroups }: Issuer['refreshed'],
): Promise<void> {
  await proceed();
  const { path, body, oidc } = context;
  if (path === '/token' && oidc.params?.['grant_type'] === 'refresh_token' && !hasIdTokens)
    delete body['id_token'];
  if (path === '/me' && !namesGroups) delete body['groups'];
}

async function walk(issuer: string, from: string): Promise<URL> {
  const jar = new Map<string, string>();
  let address = new URL(from);
  for (let step = 0; step < 10 && address.origin === issuer; step++) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(address, { redirect: 'manual', headers: { cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      jar.set(name!, value!);
    }
    const location = response.headers.get('location');
    if (location === null) throw new Error(`${address.href}: ${response.status} ${await response.text()}`);
    address = new URL(location, address);
  }
  return address;
}

async function stopServer(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise<void>((stopped) => void server.close(() => stopped()));
}
