import { generateKeyPairSync } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Payload } from '../payloads/gitHub.ts';

/** GitHub's side of an App: the pages where a person creates and installs it, and its part of the API. */
export type FakeApp = {
  id: number;
  login: string;
  pem: string;
  webhookSecret: string | null;
  /** Unused codes. */
  codes: Set<string>;
  installationId: number;
  repositories: Payload[];
  /** The manifest, as posted to the form. */
  manifest: { redirect_url: string; setup_url: string; hook_attributes?: object } | null;
};

export function newFakeApp(fields: Partial<FakeApp> = {}): FakeApp {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  return {
    id: 1_234_567,
    login: 'acme',
    pem: privateKey.export({ type: 'pkcs1', format: 'pem' }).toString(),
    webhookSecret: 'f00dfeed5ec7e7',
    codes: new Set(['a180b1a3d263c81bc6441d7b990bae27d4c10679']),
    installationId: 48_151_623,
    repositories: [
      { full_name: 'acme/old', pushed_at: '2024-01-01T00:00:00Z' },
      { full_name: 'acme/app', pushed_at: '2026-03-18T00:00:00Z' },
    ],
    manifest: null,
    ...fields,
  };
}

type Answered = { status: number; body: unknown; headers?: Record<string, string> };
type Asked = { request: IncomingMessage; url: URL; token: string };

/** Null if the request is not about an App. */
export function answerOfApp(
  app: FakeApp,
  { request, url, token }: Asked,
): Answered | Promise<Answered> | null {
  const { pathname } = url;
  const { authorization = '' } = request.headers;
  if (pathname.endsWith('/settings/apps/new')) return formAnswer(app, request, url);
  if (pathname === '/apps/runcost-acme/installations/new') {
    const query = `installation_id=${app.installationId}&setup_action=install`;
    return { status: 303, body: null, headers: { location: `${app.manifest!.setup_url}&${query}` } };
  }
  const [, code] = /^\/app-manifests\/([^/]+)\/conversions$/.exec(pathname) ?? [];
  if (code !== undefined && request.method === 'POST') {
    return app.codes.delete(code) ? { status: 201, body: conversionOf(app, url) } : notFound;
  }
  if (pathname.startsWith('/app/installations/')) {
    if (!authorization.startsWith('bearer ey')) return { status: 401, body: { message: 'Bad credentials' } };
    const isOwn = pathname === `/app/installations/${app.installationId}`;
    return isOwn ? { status: 200, body: { id: app.installationId, app_id: app.id } } : notFound;
  }
  if (pathname === '/installation/repositories' && authorization === `token ${token}`) {
    const { repositories } = app;
    return { status: 200, body: { total_count: repositories.length, repositories } };
  }
  return null;
}

/** Simulates a person who confirms at once. */
async function formAnswer(app: FakeApp, request: IncomingMessage, url: URL): Promise<Answered> {
  const form = new URLSearchParams(await text(request));
  app.manifest = JSON.parse(form.get('manifest')!);
  const [code] = app.codes;
  const query = new URLSearchParams({ code: code!, state: url.searchParams.get('state')! });
  return {
    status: 303,
    body: null,
    headers: { location: `${app.manifest!.redirect_url}?${query.toString()}` },
  };
}

const notFound = { status: 404, body: { message: 'Not Found' } };

function conversionOf({ id, login, pem, webhookSecret }: FakeApp, { origin }: URL) {
  return {
    id,
    slug: 'runcost-acme',
    name: 'Runcost acme',
    owner: { login },
    html_url: `${origin}/apps/runcost-acme`,
    client_id: 'Iv23liTESTTESTTEST',
    client_secret: 'test-client-secret',
    pem,
    webhook_secret: webhookSecret,
  };
}
