import type { Transaction } from '../../platform/db/database.ts';
import { taskView } from '../../platform/http/views.ts';
import { dayOf, startOfDay, type Day } from '../../platform/lib/days.ts';
import { invalid, PublicError } from '../../platform/lib/errors.ts';
import { readInstant, type Clock } from '../../platform/lib/time.ts';
import { addTask, listTasksUnderWay, isUnderWay } from '../../platform/work/tasks.ts';
import { recordAudit } from '../../tenancy/audit/audit.ts';
import { tasksOf } from '../../tenancy/audit/tasks.ts';
import { getOrganization, lockOrganization } from '../../tenancy/organizations/organizations.ts';
import {
  backfillKind,
  sliceBetween,
  startOf,
  unreachableDelaysSeconds,
  unreadOf,
  type Backfill,
  type BackfillContext,
  type BackfillInput,
  type BackfillState,
  type Wait,
  waitOf,
} from './backfill.ts';
import { isForGitHub } from './credentials.ts';
import { credentialRows } from './queries.ts';

const hour = 3_600_000;

export type BackfillRequest = {
  sourceId?: string | undefined;
  repositories: string[];
  since: string;
  until?: string | undefined;
  token?: string | undefined;
  /** Skips repositories that a running backfill of the source already reads. */
  joinsUnderWay?: boolean;
};

export async function startBackfill(ctx: BackfillContext, request: BackfillRequest): Promise<Backfill> {
  const { actor, clock, db, vault } = ctx;
  const asked = readSpan(request, clock.now());
  const { detailsFrom } = (await getOrganization({ db, actor })).retention;
  const since = keptSince(asked, detailsFrom);
  const { until } = asked;
  const sourceId =
    request.token === undefined ? await chooseSource(ctx, request.sourceId, { canHaveToken: true }) : null;
  const input: BackfillInput = {
    sourceId,
    repositories: withoutRepeats(request.repositories),
    since: since.toISOString(),
    until: until.toISOString(),
    isNightly: false,
    ...(sourceId === null && { gitHubApiUrl: ctx.gitHubApiUrl }),
  };
  const sealed = request.token === undefined ? null : vault.seal(request.token).toString('base64');
  return db.transaction().execute(async (tx) => {
    const underWay = request.joinsUnderWay ? await findUnderWay(tx, actor.orgId, input) : [];
    const beingRead = new Set(underWay.flatMap(readableNames));
    const repositories = input.repositories.filter((name) => !beingRead.has(name.toLowerCase()));
    if (repositories.length === 0 && underWay[0]) return underWay[0];
    const task = await addBackfill(tx, clock, {
      orgId: actor.orgId,
      input: { ...input, repositories },
      sealedToken: sealed,
    });
    await recordAudit(tx, ctx, 'backfill.start', task.id, { repositories, since, until });
    return task;
  });
}

/** Running backfills of the same days up to their own start. Events of the source bring what came later. */
async function findUnderWay(tx: Transaction, orgId: string, input: BackfillInput): Promise<Backfill[]> {
  await lockOrganization(tx, orgId);
  const tasks = await listTasksUnderWay<BackfillInput, BackfillState>(tx, backfillKind, orgId);
  return tasks.filter(
    (task) =>
      task.input.sourceId === input.sourceId &&
      new Date(task.input.since).getTime() <= new Date(input.since).getTime() + hour &&
      new Date(task.input.until).getTime() >= task.createdAt.getTime() - hour,
  );
}

/** Leaves out repositories that GitHub refused, because its App may have got the right since. */
function readableNames({ input, state }: Backfill): string[] {
  const refused = state.problems.filter(({ isRefused }) => isRefused).map(({ repository }) => repository);
  return input.repositories.filter((name) => !refused.includes(name)).map((name) => name.toLowerCase());
}

/** Older slices are read last. */
export function addBackfill(
  tx: Transaction,
  clock: Clock,
  { orgId, input, ...start }: { orgId: string; input: BackfillInput } & Start,
): Promise<Backfill> {
  return addTask(tx, clock, backfillKind, { orgId, input, state: firstState(input, start) });
}

type Start = { sealedToken?: string | null; older?: BackfillState['uncounted'] };

export function firstState(
  input: BackfillInput,
  { sealedToken = null, older = [] }: Start = {},
): BackfillState {
  const span = sliceBetween(new Date(input.since), new Date(input.until));
  const asked = input.repositories.map((_, repository) => ({ repository, ...span }));
  return {
    uncounted: [...asked, ...older].toReversed(),
    slices: [],
    next: startOf(0),
    problems: [],
    wait: null,
    failures: 0,
    sealedToken,
  };
}

/** Earlier runs were removed and would not be recorded. */
function keptSince({ since, until }: { since: Date; until: Date }, detailsFrom: Day | null): Date {
  const first = detailsFrom === null ? since : startOfDay(detailsFrom);
  if (until <= first) {
    throw invalid(
      'until',
      `must be after ${detailsFrom}: earlier runs were removed and are not recorded again`,
    );
  }
  return since < first ? first : since;
}

/** GitHub ignores case in names. */
function withoutRepeats(repositories: string[]): string[] {
  return [...new Map(repositories.map((name) => [name.toLowerCase(), name])).values()];
}

export async function chooseSource(
  ctx: BackfillContext,
  asked: string | undefined,
  { canHaveToken = false } = {},
): Promise<string> {
  if (asked !== undefined) {
    const row = await credentialRows.find(ctx.db, { orgId: ctx.actor.orgId, sourceId: asked });
    if (row && isForGitHub(row)) return asked;
    throw invalid('source_id', `is not a source with credentials. ${howToSet}`);
  }
  const [only, ...others] = await findReadingSources(ctx);
  if (only !== undefined && others.length === 0) return only;
  const alternative = canHaveToken ? ' Or give this backfill a token of its own.' : '';
  throw invalid(
    'source_id',
    only ? 'is required: several sources have credentials' : `is missing. ${howToSet}${alternative}`,
  );
}

/** Sources with credentials for GitHub, latest first. */
export async function findReadingSources({ actor: { orgId }, db }: BackfillContext): Promise<string[]> {
  const rows = await credentialRows.list(db, { orgId }, 'setAt desc', 'sourceId');
  return rows.filter(isForGitHub).map(({ sourceId }) => sourceId);
}

const howToSet =
  'Give a source a token or a GitHub App: PUT /api/v1/sources/{id}/credentials, or the Sources page.';

export const {
  get: getBackfill,
  list: listBackfills,
  cancel: cancelBackfill,
} = tasksOf<BackfillInput, BackfillState>(backfillKind, 'backfill.cancel');

export function backfillView(backfill: Backfill, now: Date) {
  const { input, state } = backfill;
  const unread = unreadOf(state);
  const waiting = waitOf(backfill, now);
  return {
    id: backfill.id,
    source_id: input.sourceId,
    is_nightly: input.isNightly,
    repositories: input.repositories,
    since: new Date(input.since),
    until: new Date(input.until),
    waiting: waiting && waitingView(waiting),
    estimated_end_at: isUnderWay(backfill)
      ? estimatedEnd(backfill, waiting ? new Date(waiting.until) : now, now)
      : null,
    unread_count: unread.count,
    unread_runs: unread.runs.map(({ repository, runId, reason }) => ({ repository, run_id: runId, reason })),
    problems: state.problems.map(({ isRefused, ...problem }) => ({ ...problem, is_refused: isRefused })),
    ...taskView(backfill),
  };
}

function waitingView({ until, reason, message, attempt }: Wait) {
  const maxAttempts = attempt === undefined ? null : unreachableDelaysSeconds.length + 1;
  return {
    until: new Date(until),
    reason,
    message: message ?? null,
    attempt: attempt ?? null,
    max_attempts: maxAttempts,
  };
}

function estimatedEnd({ startedAt, done, total }: Backfill, from: Date, now: Date): Date | null {
  if (!startedAt || total === null || done === 0n) return null;
  const millisecondsEach = Math.max(0, now.getTime() - startedAt.getTime()) / Number(done);
  return new Date(from.getTime() + Math.round(millisecondsEach * Number(total - done)));
}

export function allRefused(messages: string[]): PublicError {
  const [first, second, ...others] = messages;
  const more = others.length > 0 ? ` And ${others.length} more.` : '';
  const text = [first, second].filter((message) => message !== undefined).join(' ');
  return new PublicError('unavailable', 'refused', `${text}${more}`);
}

const millisecondsEach: Record<string, number> = { h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 };

const earliest = new Date('2018-01-01T00:00:00Z');

/** Accepts instants, days (`until` means the end of the day) and ages such as `90d`, `36h`, `2w`. */
export function readSpan(
  asked: { since: string; until?: string | undefined },
  now: Date,
): { since: Date; until: Date } {
  const since = readTime(asked.since, { now, field: 'since' });
  const until = asked.until === undefined ? now : readTime(asked.until, { now, field: 'until' });
  if (since < earliest) throw invalid('since', `must not be before ${dayOf(earliest)}`);
  const end = until < now ? until : now;
  if (since >= end) throw invalid('since', (nameOf) => `must be in the past and before ${nameOf('until')}`);
  return { since, until: end };
}

function readTime(text: string, { now, field }: { now: Date; field: 'since' | 'until' }): Date {
  const [, count, unit] = /^(\d{1,4})([hdw])$/.exec(text) ?? [];
  if (count && unit) return new Date(now.getTime() - Number(count) * millisecondsEach[unit]!);
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) {
    const start = startOfDay(text);
    if (Number.isNaN(start.getTime()) || dayOf(start) !== text) throw invalid(field, 'is not a day');
    return field === 'until' ? new Date(start.getTime() + millisecondsEach['d']!) : start;
  }
  try {
    return readInstant(field, text);
  } catch {
    throw invalid(
      field,
      'must be a day such as 2026-01-31, an instant such as 2026-01-31T09:30:00Z, or an age such as 90d',
    );
  }
}
