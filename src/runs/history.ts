import type { Tables } from '../db/tables.ts';
import type { Status } from './report.ts';

/** A run as it is stored, with all its jobs over all attempts. */
export type RunHistory = { run: StoredRun; jobs: StoredJob[] };

export type StoredRun = Omit<Tables['runs'], 'orgId'>;

export type StoredJob = Omit<Tables['jobs'], 'orgId'>;

/** The id that the dashboard and the events show: `run_github_9482310`. */
export function runIdOf(report: { provider: string; runId: string }): string {
  return `run_${report.provider}_${report.runId}`;
}

/** Statuses in the order in which a run or job passes through them. */
export const statusRank: Record<Status, number> = { queued: 0, in_progress: 1, completed: 2 };
