import type { Context } from '../../context.ts';
import type { Egress } from '../../platform/egress/egress.ts';
import { invalid, PublicError } from '../../platform/lib/errors.ts';
import { recordAudit } from '../../tenancy/audit/audit.ts';
import {
  addSource,
  findSourceSecret,
  newSourceId,
  newSourceSecret,
  organizationOfSource,
} from '../reception/sources.ts';
import { readAs, type GitLabHook } from './answer.schema.ts';
import {
  createGitLabClient,
  missingScope,
  type GitLabAccess,
  type GitLabAnswer,
  type GitLabClient,
} from './gitLabClient.ts';

export type GitLabContext = Context & { egress: Egress; publicUrl: () => string };

const perPage = 100;
/** Each takes two or three requests, and a person is waiting. */
const projectsAtOnce = 10;

export type GitLabPlaces = {
  tokenName: string;
  expiresOn: string | null;
  /** Leaves out groups inside another one of the list. */
  groups: string[];
  projects: string[];
  /** Whether there may be more. */
  isCut: boolean;
};

/** Where the token may add webhooks: https://docs.gitlab.com/api/groups/ and /projects/. */
export async function findGitLabPlaces(ctx: GitLabContext, access: GitLabAccess): Promise<GitLabPlaces> {
  const client = createGitLabClient(ctx.egress, access);
  const token = readAs('token', dataOf(await client.ask('GET', '/personal_access_tokens/self')));
  if (!token) throw unreadable();
  if (!token.scopes.includes('api')) throw invalid('token', missingScope);
  const query = `min_access_level=40&archived=false&per_page=${perPage}`;
  const listed = await client.ask('GET', `/groups?${query}`);
  const groups = readAs('groups', dataOf(listed))?.map((group) => group.full_path);
  const owned = await client.ask('GET', `/projects?membership=true&simple=true&${query}`);
  const projects = readAs('projects', dataOf(owned))?.map((project) => project.path_with_namespace);
  if (!groups || !projects) throw unreadable();
  const isInside = (path: string) => groups.some((group) => path.startsWith(`${group}/`));
  return {
    tokenName: token.name,
    expiresOn: token.expires_at,
    groups: groups.filter((path) => !isInside(path)).toSorted(),
    projects: projects.filter((path) => !isInside(path)).toSorted(),
    isCut: listed.nextPage !== null || owned.nextPage !== null,
  };
}

/** `page` and `sourceId` continue with the next projects of a group. */
export type AskedConnection = { path: string; page: number; sourceId: string | null };

type GitLabWebhook = { path: string; result: 'added' | 'changed' | 'failed'; error: string | null };

/** `refused` comes with GitLab's reason: there is no pipeline yet, or it could not reach this server. */
type TestEvent = { result: 'sent' | 'refused' | 'not_offered'; reason: string | null };

export type GitLabConnection = {
  /** Null if no webhook could be added. */
  sourceId: string | null;
  scope: 'group' | 'project' | 'projects_of_group';
  webhooks: GitLabWebhook[];
  /** Number of projects in the group if each gets a webhook; null if GitLab does not count them. */
  projects: number | null;
  testEvent: TestEvent | null;
  /** Null on the last page. */
  nextPage: number | null;
};

type Place = { scope: 'group' | 'project'; id: number; path: string };
type Known = { sourceId: string; secret: string; isNew: boolean };

/** Or changes the organization's own one there. The token is needed only once, so it is not stored. */
export async function connectGitLab(
  ctx: GitLabContext,
  access: GitLabAccess,
  asked: AskedConnection,
): Promise<GitLabConnection> {
  const client = createGitLabClient(ctx.egress, access);
  const place = await findPlace(client, asked.path);
  const session: Session = { ctx, client, place, known: await knownOf(ctx, asked.sourceId), tested: null };
  const { scope } = place;
  if (scope === 'group' && asked.page > 1) return connectProjects(session, asked.page);
  const hooks = await hooksOf(client, place);
  const webhook = hooks && (await setHook(session, place, hooks));
  if (!webhook && scope === 'group') return connectProjects(session, 1);
  if (!webhook) throw invalid('token', `may not manage the webhooks of ${place.path}. ${maintainer}`);
  if (webhook.error !== null) throw new PublicError('conflict', 'gitlab_refused', webhook.error);
  return finish(session, { scope, webhooks: [webhook], projects: null, nextPage: null });
}

const maintainer = 'It needs the role Maintainer or Owner, and the scope api.';

type Session = {
  ctx: GitLabContext;
  client: GitLabClient;
  place: Place;
  known: Known | null;
  tested: TestEvent | null;
};

/** Groups have webhooks only on paid plans of GitLab, so each project gets one. */
async function connectProjects(session: Session, page: number): Promise<GitLabConnection> {
  const { client, place } = session;
  const query = `include_subgroups=true&with_shared=false&archived=false&simple=true&order_by=id&sort=asc`;
  const path = `/groups/${place.id}/projects?${query}&per_page=${projectsAtOnce}&page=${page}`;
  const answer = await client.ask('GET', path);
  const projects = readAs('projects', dataOf(answer));
  if (!projects) throw unreadable();
  const found: [Place, GitLabHook[] | null][] = [];
  for (const { id, path_with_namespace } of projects) {
    const project: Place = { scope: 'project', id, path: path_with_namespace };
    found.push([project, await hooksOf(client, project)]);
  }
  // Reuses an earlier source, whichever of the projects has its webhook.
  session.known ??= await knownIn(
    session.ctx,
    found.flatMap(([, hooks]) => hooks ?? []),
  );
  const webhooks: GitLabWebhook[] = [];
  for (const [project, hooks] of found)
    webhooks.push((hooks && (await setHook(session, project, hooks))) ?? failed(project, maintainer));
  const { nextPage, total } = answer;
  return finish(session, { scope: 'projects_of_group', webhooks, projects: total, nextPage });
}

async function finish(
  { ctx, known, place, tested }: Session,
  made: Pick<GitLabConnection, 'scope' | 'webhooks' | 'projects' | 'nextPage'>,
): Promise<GitLabConnection> {
  const set = made.webhooks.filter(({ result }) => result !== 'failed').length;
  const sourceId = known?.sourceId ?? null;
  if (sourceId !== null && set > 0) {
    const details = { path: place.path, webhooks: set };
    await ctx.db.transaction().execute((tx) => recordAudit(tx, ctx, 'source.connect', sourceId, details));
  }
  return { sourceId, testEvent: tested, ...made };
}

async function findPlace(client: GitLabClient, path: string): Promise<Place> {
  const at = encodeURIComponent(path);
  const group = await client.ask('GET', `/groups/${at}?with_projects=false`);
  const asGroup = readAs('group', group.body);
  if (group.status === 200 && asGroup) return { scope: 'group', id: asGroup.id, path: asGroup.full_path };
  const project = await client.ask('GET', `/projects/${at}`);
  const asProject = readAs('project', project.body);
  if (project.status !== 200 || !asProject)
    throw invalid('path', `${path}: there is no such group or project, or the token cannot see it`);
  return { scope: 'project', id: asProject.id, path: asProject.path_with_namespace };
}

const addressOf = ({ scope, id }: Place) => `/${scope}s/${id}/hooks`;

/** GitLab allows far fewer webhooks, so a server that lists more answers wrongly. */
const maxHookPages = 20;
const tooManyHooks = ({ path }: Place) =>
  `GitLab lists more than ${maxHookPages * perPage} webhooks of ${path}, so Runcost cannot find its own.`;

/** Null if the token may not manage them, or the plan has none. */
async function hooksOf(client: GitLabClient, place: Place): Promise<GitLabHook[] | null> {
  const all: GitLabHook[] = [];
  let page: number | null = 1;
  for (let pages = 0; page !== null; pages++) {
    if (pages === maxHookPages) throw new PublicError('conflict', 'gitlab_refused', tooManyHooks(place));
    const answer: GitLabAnswer = await client.ask(
      'GET',
      `${addressOf(place)}?per_page=${perPage}&page=${page}`,
    );
    if (answer.status === 403 || answer.status === 404) return null;
    const hooks = readAs('hooks', dataOf(answer));
    if (!hooks) throw unreadable();
    all.push(...hooks);
    page = answer.nextPage;
  }
  return all;
}

/** Changes our webhook, even of a deleted source, or adds one. Null if token or plan do not allow it. */
async function setHook(session: Session, place: Place, hooks: GitLabHook[]): Promise<GitLabWebhook | null> {
  const { ctx, client } = session;
  session.known ??= await knownIn(ctx, hooks);
  const known = session.known ?? newKnown(ctx);
  const own = hooks.find(({ url }) => sourceIn(ctx, url) !== null);
  const body = {
    url: `${ctx.publicUrl()}/api/v1/ingest/${known.sourceId}`,
    token: known.secret,
    push_events: false,
    job_events: true,
    pipeline_events: true,
    merge_requests_events: true,
    enable_ssl_verification: true,
  };
  const path = addressOf(place);
  const answer = own
    ? await client.ask('PUT', `${path}/${own.id}`, body)
    : await client.ask('POST', path, body);
  if (answer.status === 403 || answer.status === 404) return null;
  if (answer.status >= 400) return failed(place, refusalOf(answer, ctx.publicUrl()));
  const hook = readAs('hook', answer.body);
  if (!hook) throw unreadable();
  if (known.isNew) await addGitLabSource(ctx, session.place.path, known);
  session.known = { ...known, isNew: false };
  if (session.tested?.result !== 'sent') session.tested = await test(client, place, hook);
  return { path: place.path, result: own ? 'changed' : 'added', error: null };
}

const failed = ({ path }: Place, error: string): GitLabWebhook => ({ path, result: 'failed', error });

function refusalOf({ status, message }: GitLabAnswer, publicUrl: string): string {
  const word = `GitLab answered ${status}: "${message}".`;
  if (!/\burl\b/i.test(message)) return word;
  const advice =
    `It does not take the address of this server, ${publicUrl}. Set PUBLIC_URL to one that GitLab reaches; on ` +
    'your own GitLab, allow it under Admin › Settings › Network › Outbound requests.';
  throw new PublicError('conflict', 'gitlab_refused', `${word} ${advice}`);
}

/** https://docs.gitlab.com/api/project_webhooks/#trigger-a-test-project-webhook */
async function test(client: GitLabClient, place: Place, { id }: GitLabHook): Promise<TestEvent> {
  const answer = await client
    .ask('POST', `${addressOf(place)}/${id}/test/pipeline_events`)
    .catch((error: unknown) => {
      // GitLab limits tests. The webhook exists anyway.
      if (error instanceof PublicError) return { status: 422, message: error.message };
      throw error;
    });
  const { status, message } = answer;
  if (status < 300) return { result: 'sent', reason: null };
  if (status === 404 || status === 405) return { result: 'not_offered', reason: null };
  return { result: 'refused', reason: message };
}

function sourceIn({ actor }: GitLabContext, url: string): string | null {
  const [, id] = /\/api\/v1\/ingest\/(src_\w+)$/.exec(url) ?? [];
  return id !== undefined && organizationOfSource(id) === actor.orgId ? id : null;
}

async function knownIn(ctx: GitLabContext, hooks: GitLabHook[]): Promise<Known | null> {
  for (const { url } of hooks) {
    const known = await knownOf(ctx, sourceIn(ctx, url));
    if (known) return known;
  }
  return null;
}

async function knownOf(ctx: GitLabContext, sourceId: string | null): Promise<Known | null> {
  const secret = sourceId && (await findSourceSecret(ctx, sourceId, 'gitlab'));
  return sourceId && secret ? { sourceId, secret, isNew: false } : null;
}

function newKnown({ actor }: GitLabContext): Known {
  return { sourceId: newSourceId(actor.orgId), secret: newSourceSecret(), isNew: true };
}

/** Called after the first webhook was added, so that a refusal leaves no source. */
async function addGitLabSource(ctx: GitLabContext, path: string, { sourceId, secret }: Known): Promise<void> {
  const name = `GitLab of ${path}`.slice(0, 255);
  await ctx.db
    .transaction()
    .execute((tx) => addSource(tx, ctx, { id: sourceId, kind: 'gitlab', name, secret }));
}

function dataOf({ status, body, message }: GitLabAnswer): unknown {
  if (status === 200) return body;
  throw new PublicError('unavailable', 'gitlab_unavailable', `GitLab answered ${status}: "${message}".`);
}

function unreadable(): PublicError {
  const message = 'GitLab answered in a way that we cannot read. Is the address that of GitLab?';
  return new PublicError('unavailable', 'gitlab_unavailable', message);
}
