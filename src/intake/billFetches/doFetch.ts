import { Readable } from 'node:stream';
import { importReport, withSpooled } from '../../ledger/bills/importReport.ts';
import { removeFetched } from '../../ledger/bills/reports.ts';
import { monthInWords } from '../../platform/lib/days.ts';
import { PublicError } from '../../platform/lib/errors.ts';
import { isUnderWay, prunePoller, taskPoller, type DoPiece } from '../../platform/work/tasks.ts';
import { oneByOne, type Poller } from '../../platform/work/worker.ts';
import { recordAudit } from '../../tenancy/audit/audit.ts';
import type { BackfillProgram, Obstacle } from '../backfills/backfill.ts';
import { openCredentials } from '../backfills/credentials.ts';
import { lastCheckTime } from '../backfills/nightly.ts';
import { waitFor } from '../backfills/obstacles.ts';
import { addFetch, latestFetch } from './accounts.ts';
import { fetchKind, type FetchInput, type FetchState, refusalText, unitsOf } from './fetch.ts';
import { isSettled, windowWithin } from './months.ts';
import { accountRows, type AccountRow, findNightlyAccounts, noteMonth, removeDays } from './queries.ts';
import { readReport } from './readReport.ts';
import { readUsage } from './readUsage.ts';
import type { Step } from './step.ts';

export function billFetchPollers(program: BackfillProgram): Poller[] {
  return [
    {
      name: 'start nightly fetches of bills',
      everyMilliseconds: 60_000,
      run: async () => {
        await startNightlyFetches(program);
        return false;
      },
    },
    taskPoller(program, fetchKind, fetchWork(program)),
    prunePoller(program, 'prune fetches of bills', fetchKind, keptDays),
  ];
}

const keptDays = 100;
/** Fetches start between 6:00 and 12:00 UTC, because the bill of a day comes late. */
const afterMidnight = 86_400_000 / 4;

/** A failing account does not stop the others. */
async function startNightlyFetches(program: BackfillProgram): Promise<void> {
  const { clock, db } = program;
  const shifted = new Date(clock.now().getTime() - afterMidnight);
  const dueAt = (id: string) => new Date(lastCheckTime(id, shifted).getTime() + afterMidnight);
  const accounts = await findNightlyAccounts(db, fetchKind.name);
  const due = accounts.filter(({ id, fetchedAt }) => !fetchedAt || fetchedAt < dueAt(id));
  await oneByOne(due, (key) => startNightly(program, key, dueAt(key.id)), {
    nameOf: ({ orgId, id }) => [`bill account ${id}`, orgId],
    message: 'nightly fetches of bills could not start',
  });
}

async function startNightly(
  program: BackfillProgram,
  key: Pick<AccountRow, 'orgId' | 'id'>,
  dueAt: Date,
): Promise<void> {
  await program.db.transaction().execute(async (tx) => {
    const account = await accountRows.lock(tx, key);
    const latest = account && (await latestFetch(tx, account));
    // Another worker may have been first.
    if (!account || (latest && (isUnderWay(latest) || latest.createdAt >= dueAt))) return;
    const fetch = await addFetch(tx, program.clock, account, { isNightly: true });
    const actor = { orgId: key.orgId, name: 'nightly fetch' };
    await recordAudit(tx, { ...program, actor }, 'bill_fetch.start', fetch.id, { login: account.login });
  });
}

function fetchWork(program: BackfillProgram): DoPiece<FetchInput, FetchState> {
  return async (task, save, signal) => {
    const { clock, db } = program;
    const { orgId, input } = task;
    const account = await accountRows.find(db, { orgId, id: input.accountId });
    if (!account) throw new PublicError('conflict', 'account_gone', 'The bill account was deleted.');
    const { credentials } = await openCredentials(program, account);
    // Imported late, so that other commands start without GitHub's libraries.
    const { createGitHubClient } = await import('../backfills/gitHubClient.ts');
    const client = createGitHubClient(program, credentials);
    const state: FetchState = { ...task.state, wait: null };
    const [month, ...left] = state.left;
    if (month === undefined) return save(db, { isDone: true });
    const done =
      unitsOf(account.kind, input.months, input.until) - unitsOf(account.kind, state.left, input.until);
    const note = (more: number) => save(db, { state: { ...state, failures: 0 }, done: done + more });
    const step: Step = { program, client, account, task, month, note, signal };
    const read = await (account.kind === 'enterprise' ? readReport : readUsage)(step);
    if (read.kind === 'later') {
      const dueAt = new Date(clock.now().getTime() + read.seconds * 1_000);
      return save(db, { state: { ...state, report: read.report, failures: 0 }, done, dueAt });
    }
    if (read.kind === 'obstacle') {
      signal.throwIfAborted();
      const { failures, wait } = waitFor(explained(account, read.obstacle), state.failures, program);
      return save(db, { state: { ...state, failures, wait }, dueAt: new Date(wait.until) });
    }
    await storeMonth(step, read.csv);
    await db.transaction().execute(async (tx) => {
      const at = clock.now();
      await noteMonth(tx, account, month, { at: at.toISOString(), lastDay: read.lastDay });
      if (isSettled(month, at)) await removeDays(tx, account, windowWithin(month, input.until));
      const next = { left, report: null, wait: null, failures: 0 };
      const units = done + unitsOf(account.kind, [month], input.until);
      await save(tx, { state: next, done: units, isDone: left.length === 0 });
    });
  };
}

function explained(account: AccountRow, obstacle: Obstacle): Obstacle {
  if (obstacle.kind !== 'refused') return obstacle;
  return { ...obstacle, message: refusalText(account, obstacle) };
}

const maxBytes = 256 * 1024 * 1024;

/** The ledger stores a month completely or not at all, and changes nothing if its lines are the same. */
async function storeMonth({ program, account, month, task }: Step, csv: string | null): Promise<void> {
  const { orgId, kind, login } = account;
  const fetched = `${kind} ${login.toLowerCase()} ${month}`;
  if (csv === null) return removeFetched(program, orgId, fetched);
  const name = `${login}, ${monthInWords(month)}`;
  const ctx = { ...program, actor: { orgId, name: 'bill fetch' } };
  const tooLarge = () => new PublicError('unavailable', 'too_large', `The bill of ${name} is over 256 MiB.`);
  try {
    await withSpooled(Readable.from([Buffer.from(csv)]), { maxBytes, tooLarge }, (path) =>
      importReport(ctx, { path, name, fetched }),
    );
  } catch (error) {
    if (!(error instanceof PublicError) || error.kind === 'conflict') throw error;
    const text = `What GitHub sent as the bill of ${name} cannot be read (fetch ${task.id}): ${error.message}`;
    throw new PublicError('unavailable', 'unreadable', text);
  }
}
