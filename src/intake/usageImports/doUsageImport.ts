import { addDays, startOfDay } from '../../platform/lib/days.ts';
import { PublicError } from '../../platform/lib/errors.ts';
import { nextAttemptAt, type RetrySchedule } from '../../platform/work/retries.ts';
import { prunePoller, requireTask, taskPoller, type DoPiece } from '../../platform/work/tasks.ts';
import type { Poller } from '../../platform/work/worker.ts';
import { recordAudit } from '../../tenancy/audit/audit.ts';
import {
  createCircleCiClient,
  type CircleCiAnswer,
  type CircleCiExport,
} from '../backfills/circleCiClient.ts';
import { openCircleCiCredentials } from '../backfills/credentials.ts';
import {
  checkSince,
  claimCheck,
  findCheckedUntil,
  startDueChecks,
  type Check,
} from '../backfills/nightly.ts';
import { counted, readUsageFile, recordUsage } from './recordUsage.ts';
import {
  addUsageImport,
  countDays,
  usageImportKind,
  wholeDays,
  type UsageCounts,
  type UsageImport,
  type UsageInput,
  type UsageProgram,
  type UsageState,
} from './usageImport.ts';

export function usageImportPollers(program: UsageProgram): Poller[] {
  return [
    {
      name: 'start nightly usage imports',
      everyMilliseconds: 60_000,
      run: async () => {
        await startDueChecks(program, ['circleci'], (check, now) => startNightly(program, check, now));
        return false;
      },
    },
    taskPoller(program, usageImportKind, usageImportWork(program)),
    prunePoller(program, 'prune usage imports', usageImportKind, keptDays),
  ];
}

const keptDays = 100;
/** The first nightly import reads so many days, because their jobs have no price yet. */
const firstDays = 30;

async function startNightly(program: UsageProgram, check: Check, now: Date): Promise<void> {
  const { orgId, sourceId } = check;
  const until = await findCheckedUntil(program.db, check, usageImportKind.name);
  const since = until ? checkSince(until, now) : new Date(now.getTime() - firstDays * 86_400_000);
  await program.db.transaction().execute(async (tx) => {
    if (!(await claimCheck(tx, check, now))) return;
    const input = { sourceId, ...wholeDays({ since, until: now }, now), isNightly: true };
    const task = await addUsageImport(tx, program.clock, orgId, input);
    const actor = { orgId, name: 'nightly check' };
    const details = { source_id: sourceId, since: input.since };
    await recordAudit(tx, { ...program, actor }, 'usage_import.start', task.id, details);
  });
}

/** CircleCI answers 10 questions a minute, and a large export takes hours. */
const maxPollSeconds = 300;
/** CircleCI gives up after four hours. */
const maxPolls = 80;

const retries: RetrySchedule = {
  delaysMilliseconds: [10, 30, 60, 300, 900, 1_800].map((each) => each * 1_000),
};

type Work = DoPiece<UsageInput, UsageState>;
type Save = Parameters<Work>[1];

function usageImportWork(program: UsageProgram): Work {
  return async (task, save, signal) => {
    const { orgId, input } = task;
    const credentials = await openCircleCiCredentials(program, { orgId, sourceId: input.sourceId });
    const client = createCircleCiClient(program, credentials, signal);
    const state: UsageState = { ...task.state, wait: null };
    const read = <T>(answer: CircleCiAnswer<T>) => {
      // The next worker continues; a stop is no failure of CircleCI.
      signal.throwIfAborted();
      return dataOf(program, { ...task, state }, save, answer);
    };
    const [part] = state.left;
    if (!part) return save(program.db, { state, isDone: true });
    if (state.exportId === null) {
      const last = new Date(startOfDay(addDays(part.end, 1)).getTime() - 1_000);
      const created = await client.createExport({ start: startOfDay(part.start), end: last });
      const { id } = (await read(created)) ?? {};
      return id === undefined
        ? undefined
        : waitForExport(program, { ...state, exportId: id, polls: 0 }, save);
    }
    const answer = await client.getExport(state.exportId);
    const found = await read(answer);
    if (!found) return;
    if (found.state === 'failed') throw failedExport(found, part);
    if (found.state !== 'completed') return waitForExport(program, state, save);
    let counts: UsageCounts = state;
    for (const url of found.files) {
      const file = await read(await client.readFile(url));
      if (!file) return;
      for await (const { jobs, others } of readUsageFile(file, program.clock.now())) {
        await requireTask(program.db, task);
        if (signal.aborted) return;
        counts = counted(counts, await recordUsage(program, orgId, jobs), others);
      }
    }
    const left = state.left.slice(1);
    await save(program.db, {
      state: { ...state, ...counts, left, exportId: null, failures: 0 },
      done: Number(task.done) + countDays(part),
      isDone: left.length === 0,
    });
  };
}

function failedExport(
  { reason }: CircleCiExport,
  { start, end }: { start: string; end: string },
): PublicError {
  const why = reason === null ? '' : `: "${reason}"`;
  const message = `CircleCI could not prepare the usage data from ${start} to ${end}${why}. Start again, with fewer days.`;
  return new PublicError('unavailable', 'export_failed', message);
}

function waitForExport({ clock, db }: UsageProgram, state: UsageState, save: Save): Promise<void> {
  if (state.polls >= maxPolls) {
    const message = 'CircleCI did not prepare the usage data within hours. Start again, with fewer days.';
    throw new PublicError('unavailable', 'export_failed', message);
  }
  const seconds = Math.min(10 * 2 ** state.polls, maxPollSeconds);
  const dueAt = new Date(clock.now().getTime() + seconds * 1_000);
  const wait = { until: dueAt.toISOString(), reason: 'CircleCI prepares the usage data.' };
  return save(db, { state: { ...state, polls: state.polls + 1, failures: 0, wait }, dueAt });
}

/** Undefined if the task has to wait, which is then saved. */
async function dataOf<T>(
  { clock, db }: UsageProgram,
  { state }: Pick<UsageImport, 'state'>,
  save: Save,
  answer: CircleCiAnswer<T>,
): Promise<T | undefined> {
  if (answer.kind === 'data') return answer.data;
  if (answer.kind === 'refused') throw new PublicError('unavailable', 'refused', answer.message);
  const { until, failures, reason } =
    answer.kind === 'wait'
      ? { until: answer.until, failures: 0, reason: "CircleCI's request limit is used up." }
      : retryOf(answer.message, state.failures + 1, clock.now());
  const wait = { until: until.toISOString(), reason };
  await save(db, { state: { ...state, failures, wait }, dueAt: until });
  return undefined;
}

function retryOf(message: string, failures: number, now: Date) {
  const until = nextAttemptAt(retries, { failures, now });
  if (!until) throw new PublicError('unavailable', 'unreachable', `${message}. Start again later.`);
  return { until, failures, reason: `${message}.` };
}
