import { ownerNamed, saveImported, type FoundOwner } from '../../ledger/ownership/imported.ts';
import type { OwnerKind } from '../../ledger/ownership/owners.ts';
import { taskView } from '../../platform/http/views.ts';
import { PublicError } from '../../platform/lib/errors.ts';
import { oneLine } from '../../platform/lib/text.ts';
import {
  addTask,
  requireTask,
  taskPoller,
  type DoPiece,
  type Task,
  type TaskKind,
} from '../../platform/work/tasks.ts';
import type { Poller } from '../../platform/work/worker.ts';
import { recordAudit } from '../../tenancy/audit/audit.ts';
import { tasksOf } from '../../tenancy/audit/tasks.ts';
import {
  isRepositoryName,
  type BackfillContext,
  type BackfillProgram,
  type Wait,
  waitOf,
} from '../backfills/backfill.ts';
import { openCredentials } from '../backfills/credentials.ts';
import type { GitHubAnswer, GitHubClient } from '../backfills/gitHubClient.ts';
import { waitFor } from '../backfills/obstacles.ts';
import { chooseSource } from '../backfills/startBackfill.ts';
import { findGitHubRepositories } from './queries.ts';

export const importSources = ['codeowners', 'custom_properties'] as const;
type ImportSource = (typeof importSources)[number];

export type ImportRequest = {
  from: ImportSource;
  source_id?: string | undefined;
  team_property?: string | undefined;
  cost_center_property?: string | undefined;
};

type Input = {
  from: ImportSource;
  sourceId: string;
  properties: Record<OwnerKind, string>;
  startedBy: string;
};

type Problem = { name: string; message: string };

/** `left` has repositories for CODEOWNERS files, or organizations for custom properties. */
type State = {
  left: string[];
  page: number;
  found: FoundOwner[];
  problems: Problem[];
  wait: Wait | null;
  failures: number;
};

export type OwnerImport = Task<Input, State>;

const kind: TaskKind = { name: 'ownership import', idPrefix: 'oimp' };

export async function startImport(ctx: BackfillContext, request: ImportRequest): Promise<OwnerImport> {
  const { actor, clock, db } = ctx;
  const sourceId = await chooseSource(ctx, request.source_id);
  const names = (await findGitHubRepositories(db, actor.orgId)).filter(isRepositoryName);
  const organizations = [...new Set(names.map((name) => name.split('/')[0]!))];
  const { from, team_property: team = 'team', cost_center_property: costCenter = 'cost_center' } = request;
  const input: Input = {
    from,
    sourceId,
    properties: { team, cost_center: costCenter },
    startedBy: actor.name,
  };
  const left = from === 'codeowners' ? names : organizations;
  const state: State = {
    left,
    page: 1,
    found: [],
    problems: [],
    wait: null,
    failures: 0,
  };
  return db.transaction().execute(async (tx) => {
    const task = await addTask<Input, State>(tx, clock, kind, {
      orgId: actor.orgId,
      input,
      state,
      total: left.length,
    });
    await recordAudit(tx, ctx, 'ownership_import.start', task.id, { from });
    return task;
  });
}

export const {
  get: getImport,
  list: listImports,
  cancel: cancelImport,
} = tasksOf<Input, State>(kind, 'ownership_import.cancel');

export function ownerImportPollers(program: BackfillProgram): Poller[] {
  return [taskPoller(program, kind, importWork(program))];
}

/** Few, so that little is repeated if a worker stops. */
const repositoriesPerPiece = 20;

function importWork(program: BackfillProgram): DoPiece<Input, State> {
  return async (task, save, signal) => {
    const { db } = program;
    const { orgId, input } = task;
    const { credentials } = await openCredentials(program, { orgId, sourceId: input.sourceId });
    // Imported late, so that other commands start without GitHub's libraries.
    const { createGitHubClient } = await import('../backfills/gitHubClient.ts');
    const client = createGitHubClient(program, credentials);
    let state: State = { ...task.state, wait: null };
    const total = Number(task.total);
    for (let count = 0; count < repositoriesPerPiece && state.left.length > 0 && !signal.aborted; count++) {
      await requireTask(db, task);
      const step = input.from === 'codeowners' ? readCodeOwners : readProperties;
      const next = await step(client, state, input, signal);
      if ('obstacle' in next) {
        if (signal.aborted) break;
        const { failures, wait } = waitFor(next.obstacle, state.failures, program);
        const dueAt = new Date(wait.until);
        return save(db, { state: { ...state, failures, wait }, done: total - state.left.length, dueAt });
      }
      state = { ...next, failures: 0 };
    }
    const done = total - state.left.length;
    if (state.left.length > 0) return save(db, { state, done });
    refuseIfNothingRead(state, total);
    await db.transaction().execute(async (tx) => {
      const author = { ...program, actor: { orgId, name: input.startedBy } };
      await saveImported(tx, author, input.from, {
        owners: state.found,
        unread: state.problems.map(({ name }) => name),
      });
      await save(tx, { state, done, isDone: true });
    });
  };
}

function refuseIfNothingRead({ problems }: State, total: number): void {
  if (problems.length === 0 || problems.length < total) return;
  throw new PublicError('unavailable', 'refused', `Nothing could be read. ${problems[0]!.message}`);
}

type Obstacle = Parameters<typeof waitFor>[0];
type Next = State | { obstacle: Obstacle };

const places = ['.github/CODEOWNERS', 'CODEOWNERS', 'docs/CODEOWNERS'];

/** GitHub reads the first of these files that exists. */
async function readCodeOwners(
  client: GitHubClient,
  state: State,
  _input: Input,
  signal: AbortSignal,
): Promise<Next> {
  const [repository, ...left] = state.left as [string, ...string[]];
  for (const place of places) {
    const answer = await client.get(repository, `/contents/${place}`, { signal });
    if (answer.kind === 'refused') {
      if (answer.status === 404) continue;
      const message = `The CODEOWNERS file of ${repository} could not be read (${answer.status}). The credentials need the repository permission "Contents: read".`;
      return refused({ ...state, left }, repository, message);
    }
    if (answer.kind !== 'data') return { obstacle: obstacleOf(answer) };
    const owner = catchAllOwner(textOf(answer.data));
    const found = owner === null ? [] : [{ repository, kind: 'team' as const, owner }];
    return { ...state, left, found: [...state.found, ...found] };
  }
  return { ...state, left };
}

function refused(state: State, name: string, message: string): State {
  return { ...state, problems: [...state.problems, { name, message }] };
}

function obstacleOf(answer: Exclude<GitHubAnswer<unknown>, { kind: 'data' }>): Obstacle {
  if (answer.kind === 'unchanged') return { kind: 'unreachable', message: 'GitHub sent an empty answer' };
  return answer;
}

function textOf(data: unknown): string {
  const { content } = (data ?? {}) as { content?: unknown };
  return typeof content === 'string' ? Buffer.from(content, 'base64').toString('utf8') : '';
}

/** The first owner in the last line for all files, because at GitHub the last matching line decides. */
export function catchAllOwner(text: string): string | null {
  const lines = text.split('\n').map((line) =>
    line
      .replace(/(^|\s)#.*$/, '')
      .trim()
      .split(/\s+/),
  );
  const last = lines.findLast(([pattern]) => pattern === '*' || pattern === '**');
  return last?.[1] === undefined ? null : ownerNamed(oneLine(last[1]));
}

const perPage = 100;

async function readProperties(
  client: GitHubClient,
  state: State,
  { properties }: Input,
  signal: AbortSignal,
): Promise<Next> {
  const [organization, ...left] = state.left as [string, ...string[]];
  const query = { per_page: perPage, page: state.page };
  const answer = await client.getOfOrganization(organization, '/properties/values', { query, signal });
  if (answer.kind === 'refused') {
    const message = `The custom properties of ${organization} could not be read (${answer.status}). The credentials need the organization permission "Custom properties: read".`;
    return refused({ ...state, left, page: 1 }, organization, message);
  }
  if (answer.kind !== 'data') return { obstacle: obstacleOf(answer) };
  if (!Array.isArray(answer.data))
    return { obstacle: { kind: 'unreachable', message: 'GitHub answered something other than a list' } };
  const found = answer.data.flatMap((each) => ownersIn(each, properties));
  const isLast = answer.data.length < perPage;
  return {
    ...state,
    ...(isLast ? { left, page: 1 } : { page: state.page + 1 }),
    found: [...state.found, ...found],
  };
}

type Properties = {
  repository_full_name?: unknown;
  properties?: { property_name?: unknown; value?: unknown }[];
};

function ownersIn(each: unknown, names: Input['properties']): FoundOwner[] {
  const { repository_full_name: repository, properties = [] } = (each ?? {}) as Properties;
  if (typeof repository !== 'string' || !isRepositoryName(repository) || !Array.isArray(properties))
    return [];
  return (Object.entries(names) as [OwnerKind, string][]).flatMap(([ownerKind, name]) => {
    const value = properties.find((property) => property.property_name === name)?.value;
    const text = Array.isArray(value) ? (value as unknown[])[0] : value;
    const owner = typeof text === 'string' ? ownerNamed(oneLine(text)) : null;
    return owner === null ? [] : [{ repository, kind: ownerKind, owner }];
  });
}

export function ownerImportView(task: OwnerImport, now: Date) {
  const { input, state } = task;
  const wait = waitOf(task, now);
  return {
    id: task.id,
    from: input.from,
    source_id: input.sourceId,
    found: state.found.length,
    waiting: wait && { until: new Date(wait.until), reason: wait.reason },
    problems: state.problems,
    ...taskView(task),
  };
}
