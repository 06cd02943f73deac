import type { Logger } from 'pino';
import type { ForkRun, Program } from '../../context.ts';
import type { Transaction } from '../../platform/db/database.ts';
import { randomId } from '../../platform/lib/ids.ts';
import { oneLine } from '../../platform/lib/text.ts';
import { giveBackLeases, releaseLease, withLease } from '../../platform/work/leases.ts';
import { nextAttemptAt, type RetrySchedule } from '../../platform/work/retries.ts';
import type { Poller } from '../../platform/work/worker.ts';
import { queueReports } from './comments.ts';
import { claimSearch, postponeSearches, queueForkRuns, type SearchRow, searchRows } from './queries.ts';

type Asked = Pick<
  SearchRow,
  'provider' | 'repository' | 'headRepository' | 'headBranch' | 'headSha' | 'installationId'
>;

/** `number` is null if there is no pull request or the App cannot see it. */
type Found =
  | { kind: 'data'; number: number | null }
  | { kind: 'wait'; until: Date; message: string }
  | { kind: 'unreachable'; message: string };

type ForkProgram = Pick<Program, 'db' | 'clock'> & {
  log: Logger;
  /** Injected by `worker.ts`: only `intake` can open GitHub credentials. */
  find: (orgId: string, asked: Asked) => Promise<Found>;
  /** Stores the pull request's number with the run, so that its costs count. */
  name: (
    orgId: string,
    run: Pick<SearchRow, 'provider' | 'repository' | 'runId' | 'createdAt'>,
    number: number,
  ) => Promise<void>;
};

/** Queues searches for the pull requests of these runs. */
export async function queueSearches(tx: Transaction, orgId: string, runs: readonly ForkRun[]): Promise<void> {
  const searches = runs.map(({ at: dueAt, ...run }) => ({ id: randomId('prs'), ...run, dueAt }));
  await queueForkRuns(tx, orgId, searches);
}

const leaseMilliseconds = 300_000;
const minute = 60_000;
const retries: RetrySchedule = {
  delaysMilliseconds: [1, 5, 15, 60].map((minutes) => minutes * minute),
};

async function findDue(program: ForkProgram): Promise<boolean> {
  const { clock, db } = program;
  return withLease(program, 'pullRequestSearches', leaseMilliseconds, async (lease) => {
    const search = await claimSearch(db, { now: clock.now(), lease });
    if (search) await findOne(program, search);
    return search !== undefined;
  });
}

async function findOne(program: ForkProgram, search: SearchRow): Promise<void> {
  const { clock, db, log } = program;
  const { orgId, repository, attempts } = search;
  const found = await findAndName(program, search).catch((error: unknown) => {
    log.error({ err: error, organization: orgId, repository }, 'a pull request search failed');
    return { kind: 'unreachable' as const, message: 'failed' };
  });
  const now = clock.now();
  if (found.kind === 'wait') {
    await releaseLease(db, 'pullRequestSearches', search, { attempts: attempts - 1, dueAt: found.until });
    return postponeSearches(db, orgId, found.until);
  }
  const dueAt = found.kind === 'data' ? null : nextAttemptAt(retries, { failures: attempts, now });
  if (dueAt) return void (await releaseLease(db, 'pullRequestSearches', search, { dueAt }));
  const reason = found.kind === 'data' ? null : oneLine(found.message).slice(0, 500);
  if (reason !== null) log.warn({ organization: orgId, repository, reason }, 'pull request not found');
  const number = found.kind === 'data' ? found.number : null;
  await db.transaction().execute(async (tx) => {
    if (number !== null) await queueReports(tx, orgId, [endedRun(search, number, now)]);
    await searchRows.remove(tx, search);
  });
}

async function findAndName({ find, name }: ForkProgram, search: SearchRow): Promise<Found> {
  const { orgId } = search;
  const found = await find(orgId, search);
  if (found.kind === 'data' && found.number !== null) await name(orgId, search, found.number);
  return found;
}

/** `isNamed` is true because GitHub itself named the pull request, as if in its event. */
function endedRun({ provider, repository, headSha, createdAt }: SearchRow, pullRequest: number, at: Date) {
  const head = headSha === null ? null : { commit: headSha, createdAt };
  return { provider, repository, pullRequest, isNamed: true, head, at };
}

export function forkPollers(program: ForkProgram): Poller[] {
  return [
    {
      name: 'find pull requests of forks',
      everyMilliseconds: 2_000,
      run: () => findDue(program),
      stop: () => giveBackLeases(program.db, 'pullRequestSearches'),
    },
  ];
}
