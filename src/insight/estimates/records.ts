import { findStoredPriceList, type StoredPriceList } from '../../ledger/pricing/priceList.ts';
import type { Window } from '../../platform/lib/days.ts';
import { readPassedRuns, type PassedRuns } from '../moves/passedRuns.ts';
import {
  readHistory,
  readJobSums,
  readRepositoryNames,
  type History,
  type HistoryContext,
} from './history.ts';
import type { JobSums } from './queries.ts';

/** What an estimate reads of the organization. All of it is plain data, so that it can pass to a thread. */
export type Records = {
  history: (of: { repository: string; provider: string }) => Promise<History>;
  priceList: () => Promise<StoredPriceList>;
  jobSums: (window: Window) => Promise<JobSums[]>;
  repositoryNames: () => Promise<string[]>;
  passedRuns: (of: { window: Window; workflowIds: readonly string[] }) => Promise<PassedRuns[]>;
};

export function recordsOf(ctx: HistoryContext): Records {
  return {
    history: (of) => readHistory(ctx, of),
    priceList: () => findStoredPriceList(ctx.db, ctx.actor.orgId),
    jobSums: (window) => readJobSums(ctx, window),
    repositoryNames: () => readRepositoryNames(ctx),
    passedRuns: (of) => readPassedRuns(ctx, of),
  };
}
