import type { Program } from '../../context.ts';
import type { Transaction } from '../../platform/db/database.ts';
import { inPipeline, type Send } from '../../platform/db/pipeline.ts';
import type { Day } from '../../platform/lib/days.ts';
import type { lockFreeCosts } from '../../tenancy/organizations/organizations.ts';
import { addBotAccounts } from '../actors/patterns.ts';
import { findPriceList } from '../pricing/priceList.ts';
import { changesBetween, mergeAll, movedRuns } from './changes.ts';
import { saveCompletions, type Completion } from './completion.queries.ts';
import { areAnnounced } from './completions.ts';
import { findHistories, findReported } from './history.queries.ts';
import { runIdOf, type RunHistory } from './history.ts';
import { splitter, type SplitJobs } from './jobFacts.ts';
import { announceEnded } from './pullRequests.ts';
import { saveChanges, type Changes } from './queries.ts';
import { findRemoved } from './removal.ts';
import type { ReceivedReport } from './report.ts';

type RecordingProgram = Pick<Program, 'db' | 'isDistributed' | 'providers' | 'subscribers'>;

/** `reports` is called once the transaction holds the organization's lock. */
type Received = { orgId: string; reports: () => readonly ReceivedReport[] };

export type Recorded = { refused: ReadonlySet<ReceivedReport>; detailsFrom: Day | null };

/** Records in one transaction. The result lacks the organizations whose lock is not available. */
export async function recordReports(
  program: RecordingProgram,
  batches: readonly Received[],
  lock: typeof lockFreeCosts,
): Promise<ReadonlyMap<string, Recorded>> {
  return inPipeline(program.db, async (tx, send) => {
    // All must settle before the transaction ends.
    const settled = await Promise.allSettled(batches.map((batch) => mergeStored(tx, program, batch, lock)));
    const failed = settled.find(({ status }) => status === 'rejected') as PromiseRejectedResult | undefined;
    if (failed) throw failed.reason;
    const merged = settled
      .map((each) => (each as PromiseFulfilledResult<Merged | undefined>).value)
      .filter((each) => each !== undefined);
    if (merged.length > 0) await save([tx, send], program, merged);
    return new Map(merged.map(({ orgId, recorded }) => [orgId, recorded]));
  });
}

/** The result for one organization, to be saved. */
type Merged = {
  orgId: string;
  changes: Changes;
  split: SplitJobs;
  completions: Completion[];
  isAnnounced: boolean;
  reports: readonly ReceivedReport[];
  after: ReadonlyMap<string, RunHistory>;
  recorded: Recorded;
};

/** Reads what is stored and merges the reports into it. Writes nothing. Returns undefined if the lock is not available. */
async function mergeStored(
  tx: Transaction,
  { providers, subscribers }: Pick<RecordingProgram, 'providers' | 'subscribers'>,
  { orgId, reports: readReports }: Received,
  lock: typeof lockFreeCosts,
): Promise<Merged | undefined> {
  const locked = await lock(tx, orgId);
  if (!locked) return undefined;
  const { detailsFrom, storesJobFacts } = locked;
  const received = readReports();
  const isLive = received.some(({ liveAt }) => liveAt !== null);
  const [known, prices, isAnnounced] = await Promise.all([
    findReported(tx, orgId, received),
    findPriceList({ db: tx, providers }, orgId),
    isLive && areAnnounced(tx, { orgId, subscribers }),
  ]);
  const removed = await findRemoved(tx, orgId, { reports: received, known, detailsFrom });
  const refused = new Set(received.filter((report) => removed.has(runIdOf(report))));
  const reports = received.filter((report) => !refused.has(report));
  const stored = new Map([...known].filter(([id]) => !removed.has(id)));
  const first = await mergeAll(stored, reports, prices);
  // A report can move a run to another workflow or make it free. Then all of its jobs change rollups, so we load the
  // whole run and merge again.
  const moved = movedRuns(stored, first.after, providers);
  const before = moved.length > 0 ? new Map([...stored, ...(await findHistories(tx, orgId, moved))]) : stored;
  const { after, completions } = moved.length > 0 ? await mergeAll(before, reports, prices) : first;
  return {
    orgId,
    changes: await changesBetween(before, after, providers),
    split: splitter(storesJobFacts),
    completions,
    isAnnounced,
    reports,
    after,
    recorded: { refused, detailsFrom },
  };
}

async function save(
  [tx, send]: [Transaction, Send],
  { isDistributed, subscribers }: Pick<RecordingProgram, 'isDistributed' | 'subscribers'>,
  merged: readonly Merged[],
): Promise<void> {
  await saveChanges(send, merged, isDistributed);
  for (const { orgId, isAnnounced, completions, reports } of merged) {
    const bots = new Set(reports.flatMap((report) => report.bots ?? []));
    if (bots.size > 0) send(addBotAccounts(orgId, [...bots].toSorted()));
    if (isAnnounced && completions.length > 0) send(saveCompletions(orgId, completions));
  }
  await Promise.all(merged.map(({ orgId, ...ended }) => announceEnded(tx, { orgId, subscribers }, ended)));
}
