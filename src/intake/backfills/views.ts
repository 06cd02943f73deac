import { taskView } from '../../platform/http/views.ts';
import { unreadOf, type Backfill } from './backfill.ts';
import type { RepositoryCompleteness } from './completeness.ts';
import type { ShownCredentials } from './credentials.ts';

/** A backfill as the API and `--json` show it at `now`. */
export function backfillView(backfill: Backfill, now: Date) {
  const { input, state } = backfill;
  const isUnderWay = backfill.status === 'queued' || backfill.status === 'running';
  const unread = unreadOf(state);
  const waiting = isUnderWay && state.wait && new Date(state.wait.until) > now ? state.wait : null;
  return {
    id: backfill.id,
    source_id: input.sourceId,
    is_nightly: input.isNightly,
    repositories: input.repositories,
    since: new Date(input.since),
    until: new Date(input.until),
    waiting: waiting && { until: new Date(waiting.until), reason: waiting.reason },
    estimated_end_at: isUnderWay
      ? estimatedEnd(backfill, waiting ? new Date(waiting.until) : now, now)
      : null,
    unread_count: unread.count,
    unread_runs: unread.runs.map(({ repository, runId, reason }) => ({ repository, run_id: runId, reason })),
    problems: state.problems.map(({ repository, message }) => ({ repository, message })),
    ...taskView(backfill),
  };
}

/** At the pace from its start until now, going on at `from`; null while nothing tells the pace. */
function estimatedEnd({ startedAt, done, total }: Backfill, from: Date, now: Date): Date | null {
  if (!startedAt || total === null || done === 0n) return null;
  const millisecondsEach = Math.max(0, now.getTime() - startedAt.getTime()) / Number(done);
  return new Date(from.getTime() + Math.round(millisecondsEach * Number(total - done)));
}

export function credentialsView({ kind, hint, setBy, setAt, checkedAt }: ShownCredentials) {
  return { kind, hint, set_by: setBy, set_at: setAt, checked_at: checkedAt };
}

export function completenessView({ repository, days, ...sums }: RepositoryCompleteness) {
  return {
    repository,
    ...countsView(sums),
    days: days.map(({ day, ...ofDay }) => ({ day, ...countsView(ofDay) })),
  };
}

type Counts = Omit<RepositoryCompleteness, 'repository' | 'days'>;

function countsView({ listed, had, completed, added, unread }: Counts) {
  return {
    runs_listed: listed,
    runs_had: had,
    runs_completed: completed,
    runs_added: added,
    runs_unread: unread,
    completeness: listed === 0 ? 1 : (had - completed) / listed,
  };
}
