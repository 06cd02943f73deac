import type { Context, Program } from '../../context.ts';
import type { Recorder } from '../../ledger/runs/recorder.ts';
import type { Transaction } from '../../platform/db/database.ts';
import { taskView } from '../../platform/http/views.ts';
import { addDays, addMonths, dayOf, startOfDay, type Day } from '../../platform/lib/days.ts';
import { invalid } from '../../platform/lib/errors.ts';
import type { Clock } from '../../platform/lib/time.ts';
import { addTask, type Task, type TaskKind } from '../../platform/work/tasks.ts';
import { recordAudit } from '../../tenancy/audit/audit.ts';
import { tasksOf } from '../../tenancy/audit/tasks.ts';
import { waitOf } from '../backfills/backfill.ts';
import { listCircleCiSources } from '../backfills/credentials.ts';
import { readSpan } from '../backfills/startBackfill.ts';

export const usageImportKind: TaskKind = { name: 'usage import', idPrefix: 'usg', isOneByOne: true };

export type UsageProgram = Program & { recorder: Recorder; circleCiApiUrl: string };
export type UsageContext = UsageProgram & Pick<Context, 'actor'>;

/** Whole UTC days; both are included. */
export type Days = { start: Day; end: Day };

export type UsageInput = { sourceId: string; since: string; until: string; isNightly: boolean };

/** Jobs of one runner, such as `docker:large`. `listed` is null if our list has no price for it. */
type RunnerUsage = {
  jobs: number;
  credits: number;
  /** Seconds times parallelism. */
  seconds: number;
  listed: number | null;
  /** Jobs for which CircleCI's credits and those of our list differ. */
  differing: number;
};

export type UsageCounts = {
  /** Jobs that got a runner, or another one. */
  jobs: number;
  /** Those of them that no event had reported. */
  added: number;
  /** Rows that are not about a job, or say too little. */
  others: number;
  runners: Record<string, RunnerUsage>;
};

export type UsageState = UsageCounts & {
  /** Days that are not read yet, the latest first. */
  left: Days[];
  exportId: string | null;
  /** How many times we asked whether the export is ready, and failed in a row to ask. */
  polls: number;
  failures: number;
  wait: { until: string; reason: string } | null;
};

export type UsageImport = Task<UsageInput, UsageState>;

/** CircleCI gives at most 32 days at once, and keeps 13 months. */
const maxDays = 31;
const keptMonths = 13;

function daysIn(start: Day, end: Day): Days[] {
  const parts: Days[] = [];
  for (let last = end; last >= start; last = addDays(last, -maxDays)) {
    const first = addDays(last, 1 - maxDays);
    parts.push({ start: first < start ? start : first, end: last });
  }
  return parts;
}

export function countDays({ start, end }: Days): number {
  return (startOfDay(end).getTime() - startOfDay(start).getTime()) / 86_400_000 + 1;
}

export async function startUsageImport(
  ctx: UsageContext,
  asked: { sourceId?: string | undefined; since: string; until?: string | undefined },
): Promise<UsageImport> {
  const { actor, clock, db } = ctx;
  const span = readSpan(asked, clock.now());
  const sourceId = await chooseSource(ctx, asked.sourceId);
  return db.transaction().execute(async (tx) => {
    const input = { sourceId, ...wholeDays(span, clock.now()), isNightly: false };
    const task = await addUsageImport(tx, clock, actor.orgId, input);
    await recordAudit(tx, ctx, 'usage_import.start', task.id, { source_id: sourceId, since: input.since });
    return task;
  });
}

/** CircleCI has the data of a day after its end. */
export function wholeDays({ since, until }: { since: Date; until: Date }, now: Date) {
  const yesterday = addDays(dayOf(now), -1);
  const earliest = addMonths(dayOf(now), -keptMonths);
  const [first, last] = [dayOf(since), dayOf(new Date(until.getTime() - 1))];
  const start = first < earliest ? earliest : first;
  const end = last > yesterday ? yesterday : last;
  if (start <= end) return { since: start, until: end };
  throw invalid(
    'since',
    `must be before today and within ${keptMonths} months: CircleCI gives usage data of whole days`,
  );
}

export function addUsageImport(
  tx: Transaction,
  clock: Clock,
  orgId: string,
  input: UsageInput,
): Promise<UsageImport> {
  const days = { start: input.since, end: input.until };
  const state: UsageState = {
    left: daysIn(input.since, input.until),
    exportId: null,
    polls: 0,
    failures: 0,
    wait: null,
    jobs: 0,
    added: 0,
    others: 0,
    runners: {},
  };
  return addTask(tx, clock, usageImportKind, { orgId, input, state, total: countDays(days) });
}

async function chooseSource(
  { actor: { orgId }, db }: UsageContext,
  asked: string | undefined,
): Promise<string> {
  const set = await listCircleCiSources(db, orgId);
  const [only, ...others] = set;
  if (asked !== undefined) {
    if (set.includes(asked)) return asked;
    throw invalid('source_id', `is not a CircleCI source with a token. ${howToSet}`);
  }
  if (only && others.length === 0) return only;
  throw invalid(
    'source_id',
    only ? 'is required: several CircleCI sources have a token' : `is missing. ${howToSet}`,
  );
}

const howToSet =
  'Give a CircleCI source a personal API token: PUT /api/v1/sources/{id}/credentials, or the Sources page.';

export const {
  get: getUsageImport,
  list: listUsageImports,
  cancel: cancelUsageImport,
} = tasksOf<UsageInput, UsageState>(usageImportKind, 'usage_import.cancel');

export function usageImportView(task: UsageImport, now: Date) {
  const { input, state } = task;
  const wait = waitOf(task, now);
  return {
    id: task.id,
    source_id: input.sourceId,
    is_nightly: input.isNightly,
    since: input.since,
    until: input.until,
    waiting: wait && { until: new Date(wait.until), reason: wait.reason },
    jobs: state.jobs,
    jobs_added: state.added,
    other_rows: state.others,
    runners: Object.entries(state.runners)
      .map(([runner, usage]) => ({
        runner,
        jobs: usage.jobs,
        credits: usage.credits,
        listed_credits: usage.listed,
        differing_jobs: usage.differing,
        credits_per_minute: usage.seconds === 0 ? null : rounded((usage.credits * 60) / usage.seconds),
      }))
      .toSorted((a, b) => b.credits - a.credits || (a.runner < b.runner ? -1 : 1)),
    ...taskView(task),
  };
}

function rounded(credits: number): number {
  return Math.round(credits * 10) / 10;
}
