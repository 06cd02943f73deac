import type { Day } from '../../platform/lib/days.ts';
import type { BackfillProgram, Obstacle } from '../backfills/backfill.ts';
import type { GitHubClient } from '../backfills/gitHubClient.ts';
import type { BillFetch, FetchState } from './fetch.ts';
import type { Month } from './months.ts';
import type { AccountRow } from './queries.ts';

export type Step = {
  program: BackfillProgram;
  client: Pick<GitHubClient, 'billing'>;
  account: AccountRow;
  task: BillFetch;
  month: Month;
  /** Notes how many of the month's requests are done. */
  note: (done: number) => Promise<void>;
  signal: AbortSignal;
};

/** The whole month as CSV, null without a line; or why it is not there yet. */
export type Read =
  | { kind: 'month'; csv: string | null; lastDay: Day | null }
  | { kind: 'later'; report: FetchState['report']; seconds: number }
  | { kind: 'obstacle'; obstacle: Obstacle };
