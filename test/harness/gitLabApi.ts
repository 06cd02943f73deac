import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { after } from 'node:test';
import type { Payload } from '../payloads/gitHub.ts';

type FakeHook = { id: number; url: string; token: string; fields: Payload };
type FakeNote = {
  id: number;
  body: string;
  system: boolean;
  author: { id: number; username: string };
};
export type FakePlace = { id: number; path: string; hooks: FakeHook[] };

type Answered = { status: number; body: unknown; headers?: Record<string, string> };

/**
 * The part of GitLab's API that Runcost uses, as https://docs.gitlab.com/api/group_webhooks/, /project_webhooks/,
 * /groups/, /projects/, /personal_access_tokens/, /users/ and /notes/ describe it.
 */
export type FakeGitLab = {
  url: string;
  token: string;
  scopes: string[];
  groups: FakePlace[];
  projects: FakePlace[];
  /** Whether the plan has group webhooks. */
  hasGroupHooks: boolean;
  /** Merge request notes, keyed by `project!number`. */
  notes: Map<string, FakeNote[]>;
  /** Ids of projects whose webhooks the token may not manage. */
  closedProjects: Set<number>;
  requests: string[];
  /** Answers to the next requests. */
  refusals: Answered[];
  /**
   * Sends the last pipeline to the webhook and answers with the resulting status. Null simulates a GitLab without
   * tests.
   */
  sendTest: ((hook: FakeHook) => Promise<number>) | null;
};

/** Uses a free port. Stops after the test file. */
export async function startFakeGitLab(): Promise<FakeGitLab> {
  const fake: FakeGitLab = {
    url: '',
    token: 'glpat-TESTTOKENabcdefghijk',
    scopes: ['api'],
    groups: [],
    projects: [],
    hasGroupHooks: true,
    notes: new Map(),
    closedProjects: new Set(),
    requests: [],
    refusals: [],
    sendTest: async () => 202,
  };
  const server = createServer((request, response) => {
    void (async () => {
      fake.requests.push(`${request.method} ${request.url}`);
      const { status, body, headers = {} } = fake.refusals.shift() ?? (await answerOf(fake, request));
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(JSON.stringify(body));
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  fake.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return fake;
}

const notFound = (what: string) => ({ status: 404, body: { message: `404 ${what} Not Found` } });

async function answerOf(fake: FakeGitLab, request: IncomingMessage): Promise<Answered> {
  const url = new URL(request.url!, fake.url);
  if (request.headers['private-token'] !== fake.token)
    return { status: 401, body: { message: '401 Unauthorized' } };
  if (url.pathname === '/api/v4/personal_access_tokens/self') return { status: 200, body: tokenOf(fake) };
  if (!fake.scopes.some((scope) => ['api', 'read_api'].includes(scope))) {
    const description = 'The request requires higher privileges than provided by the access token.';
    return {
      status: 403,
      body: { error: 'insufficient_scope', error_description: description, scope: 'api' },
    };
  }
  if (url.pathname === '/api/v4/user') return { status: 200, body: ownUser };
  const [, project, number, noteId] =
    /^\/api\/v4\/projects\/(\d+)\/merge_requests\/(\d+)\/notes(?:\/(\d+))?$/.exec(url.pathname) ?? [];
  if (project !== undefined)
    return noteAnswer(fake, request, { key: `${project}!${number}`, noteId, query: url.searchParams });
  const [, kind, id, rest = ''] = /^\/api\/v4\/(groups|projects)(?:\/([^/]+))?(.*)$/.exec(url.pathname) ?? [];
  if (kind !== 'groups' && kind !== 'projects') return notFound('');
  const views: Record<typeof kind, (place: FakePlace) => object> = {
    groups: groupView,
    projects: projectView,
  };
  if (id === undefined) return listOf(fake[kind].map(views[kind]), url.searchParams);
  const path = decodeURIComponent(id);
  const place = fake[kind].find((one) => one.path === path || String(one.id) === path);
  if (!place) return notFound(kind === 'groups' ? 'Group' : 'Project');
  if (rest === '') return { status: 200, body: views[kind](place) };
  if (rest === '/projects' && kind === 'groups') {
    const own = fake.projects.filter((one) => one.path.startsWith(`${place.path}/`));
    return listOf(own.map(projectView), url.searchParams);
  }
  if (kind === 'groups' && !fake.hasGroupHooks) return notFound('');
  if (kind === 'projects' && fake.closedProjects.has(place.id))
    return { status: 403, body: { message: '403 Forbidden' } };
  return hookAnswer(fake, { kind, place, rest, request, query: url.searchParams });
}

export const ownUser = { id: 77, username: 'group_9970_bot_runcost' };

type OfNotes = { key: string; noteId: string | undefined; query: URLSearchParams };

async function noteAnswer(
  fake: FakeGitLab,
  request: IncomingMessage,
  { key, noteId, query }: OfNotes,
): Promise<Answered> {
  const notes = fake.notes.get(key) ?? [];
  if (request.method === 'GET') return listOf(notes.map(noteView), query);
  if (!fake.scopes.includes('api')) {
    const body = {
      error: 'insufficient_scope',
      error_description: 'It requires higher privileges.',
      scope: 'api',
    };
    return { status: 403, body };
  }
  const { body } = JSON.parse(await text(request)) as { body: string };
  if (request.method === 'POST') {
    const note = { id: 301 + notes.length, body, system: false, author: ownUser };
    fake.notes.set(key, [...notes, note]);
    return { status: 201, body: noteView(note) };
  }
  const found = notes.find(({ id }) => String(id) === noteId);
  if (!found) return notFound('Note');
  if (found.author.id !== ownUser.id) return { status: 403, body: { message: '403 Forbidden' } };
  found.body = body;
  return { status: 200, body: noteView(found) };
}

function noteView({ author, ...note }: FakeNote) {
  return {
    ...note,
    author: { ...author, name: author.username, state: 'active', avatar_url: null },
    created_at: '2026-03-18T12:00:00.000Z',
    updated_at: '2026-03-18T12:00:00.000Z',
    noteable_type: 'MergeRequest',
    resolvable: false,
    confidential: false,
    internal: false,
  };
}

type OfHooks = {
  kind: 'groups' | 'projects';
  place: FakePlace;
  rest: string;
  request: IncomingMessage;
  query: URLSearchParams;
};

async function hookAnswer(
  fake: FakeGitLab,
  { kind, place, rest, request, query }: OfHooks,
): Promise<Answered> {
  const { hooks } = place;
  const view = (hook: FakeHook) => hookView(hook, kind, place);
  const [, id, test] = /^\/hooks(?:\/(\d+)(\/test\/pipeline_events)?)?$/.exec(rest) ?? [];
  if (rest === '/hooks' && request.method === 'GET') return listOf(hooks.map(view), query);
  if (rest === '/hooks' && request.method === 'POST') {
    const { url, token, ...fields } = JSON.parse(await text(request)) as Payload & {
      url: string;
      token: string;
    };
    if (url.includes('localhost')) return { status: 422, body: { message: 'Invalid url given' } };
    const hook = { id: 100 * place.id + hooks.length + 1, url, token, fields };
    hooks.push(hook);
    return { status: 201, body: view(hook) };
  }
  const hook = hooks.find((one) => String(one.id) === id);
  if (!hook) return notFound('');
  if (test !== undefined) {
    if (!fake.sendTest) return { status: 404, body: { error: '404 Not Found' } };
    const status = await fake.sendTest(hook);
    if (status < 300) return { status: 201, body: { message: '201 Created' } };
    const message =
      status === 422 ? 'Ensure the project has CI pipelines.' : `Hook execution failed: ${status}`;
    return { status: 422, body: { message } };
  }
  const { url, token, ...fields } = JSON.parse(await text(request)) as Payload & {
    url: string;
    token: string;
  };
  Object.assign(hook, { url, token, fields });
  return { status: 200, body: view(hook) };
}

function listOf(items: unknown[], query: URLSearchParams): Answered {
  const [page, perPage] = [Number(query.get('page') ?? 1), Number(query.get('per_page') ?? 20)];
  const next = page * perPage < items.length ? String(page + 1) : '';
  const headers = { 'x-next-page': next, 'x-page': String(page), 'x-total': String(items.length) };
  return { status: 200, body: items.slice((page - 1) * perPage, page * perPage), headers };
}

function tokenOf({ scopes }: FakeGitLab) {
  return {
    id: 42,
    name: 'Runcost',
    revoked: false,
    created_at: '2026-03-01T08:50:25.670Z',
    description: null,
    scopes,
    user_id: 77,
    last_used_at: null,
    active: true,
    expires_at: '2026-12-31',
  };
}

function groupView({ id, path }: FakePlace) {
  const name = path.split('/').at(-1);
  return {
    id,
    name,
    path: name,
    description: '',
    visibility: 'private',
    web_url: `https://gitlab.example.com/groups/${path}`,
    full_name: path.replaceAll('/', ' / '),
    full_path: path,
    created_at: '2020-01-15T12:36:29.590Z',
    parent_id: null,
  };
}

function projectView({ id, path }: FakePlace) {
  const name = path.split('/').at(-1);
  return {
    id,
    description: null,
    name,
    name_with_namespace: path.replaceAll('/', ' / '),
    path: name,
    path_with_namespace: path,
    created_at: '2020-01-15T12:36:29.590Z',
    default_branch: 'main',
    web_url: `https://gitlab.example.com/${path}`,
    last_activity_at: '2026-03-17T12:36:29.590Z',
  };
}

/** GitLab never returns the secret token. */
function hookView({ id, url, fields }: FakeHook, kind: 'groups' | 'projects', place: FakePlace) {
  return {
    id,
    url,
    name: null,
    description: null,
    [kind === 'groups' ? 'group_id' : 'project_id']: place.id,
    push_events: true,
    push_events_branch_filter: '',
    tag_push_events: false,
    issues_events: false,
    merge_requests_events: false,
    job_events: false,
    pipeline_events: false,
    enable_ssl_verification: true,
    alert_status: 'executable',
    disabled_until: null,
    url_variables: [],
    created_at: '2026-03-18T12:00:00.000Z',
    ...fields,
  };
}

export const newPlace = (id: number, path: string): FakePlace => ({ id, path, hooks: [] });
