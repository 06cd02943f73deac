/** Merges what senders said of the same run. */
import type { Job, Report, Run, Seen } from './history.ts';

type Rank = { attempt: number; status: number; observedAt: number };

/** The best report first: the highest attempt, then the furthest status, then the newest. */
function byRank(a: Rank, b: Rank): number {
  return b.attempt - a.attempt || b.status - a.status || b.observedAt - a.observedAt;
}

/** What belongs together, so that the start of a queued job is not the start of its work. */
const ofState = ['status', 'conclusion', 'startedAt', 'completedAt', 'ran'];

/** Each other field as the best report has it that has one. */
function merge<Of extends Run | Job>(reports: readonly Seen<Of>[]): Of {
  const ranked = reports.toSorted((a, b) => byRank(a, b));
  const merged = { ...ranked[0]! } as Record<string, unknown>;
  for (const report of ranked.slice(1))
    for (const [field, value] of Object.entries(report))
      if (!ofState.includes(field)) merged[field] ??= value;
  return merged as Of;
}

export type MergedRun = Run & { jobs: Job[]; actorOf: (attempt: number) => string | null };

export function mergeRun(reports: readonly Report[]): MergedRun {
  const runs = reports.map(({ run }) => run);
  const said = (from: readonly Seen<Run>[], field: 'actor' | 'startedBy'): string | null =>
    from.toSorted(byRank).find((each) => each[field] !== null)?.[field] ?? null;
  const actorIn = (attempt: number) =>
    said(
      runs.filter((each) => each.attempt === attempt),
      'actor',
    );
  const startedBy = said(runs, 'startedBy') ?? actorIn(1);
  const run = merge(runs);
  const jobs = Map.groupBy(
    reports.flatMap((report) => report.jobs),
    ({ attempt, jobId }) => JSON.stringify([attempt, jobId]),
  );
  return {
    ...run,
    startedBy,
    jobs: [...jobs.values()].map((seen) => merge(seen)),
    actorOf: (attempt) => actorIn(attempt) ?? startedBy,
  };
}
