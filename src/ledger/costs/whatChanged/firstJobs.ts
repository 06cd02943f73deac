import type { Transaction } from '../../../platform/db/database.ts';
import { addDays, type Day } from '../../../platform/lib/days.ts';
import { findJobsAt, type FoundJob } from '../listing.queries.ts';
import { findLastDays, findLastDaysOfJobs } from '../workflows.queries.ts';
import type { Windows } from './days.ts';
import type { ChangeEvent } from './events.ts';
import type { JobsEvent } from './jobs.ts';

/** `firstJob` is the recorded job that it came from, while it is kept. */
export type NamedEvent = ChangeEvent & { firstJob: FoundJob | null };

export function needsRecords(event: ChangeEvent): boolean {
  return event.type === 'jobs' && (hasNew(event) || event.origin?.job != null);
}

function hasNew({ jobs }: JobsEvent): boolean {
  return jobs.some(({ kind }) => kind === 'new');
}

/** What records say of events beyond the compared days: their first job, and whether what seems new ran earlier. */
export async function nameEvents(
  tx: Transaction,
  orgId: string,
  events: readonly ChangeEvent[],
  { window, previousWindow }: Windows,
): Promise<NamedEvent[]> {
  // What seems new did not run in the previous period. It can have run on days between the periods.
  const isNext = addDays(previousWindow.end, 1) === window.start;
  const { start } = isNext ? previousWindow : window;
  const named: ChangeEvent[] = [];
  for (const event of events) named.push(await withEarlierRuns(tx, orgId, event, start));
  return findFirstJobs(tx, orgId, named);
}

/** The day can have changed since the event was found, so a job of another name is not the one. */
async function findFirstJobs(
  tx: Transaction,
  orgId: string,
  events: readonly ChangeEvent[],
): Promise<NamedEvent[]> {
  const places = events.flatMap((event) => (event.type === 'jobs' ? (event.origin?.job ?? []) : []));
  const jobs = places.length === 0 ? [] : await findJobsAt(tx, orgId, places);
  return events.map((event) => {
    const at = event.type === 'jobs' ? event.origin?.job?.at.getTime() : undefined;
    const isIt = (job: FoundJob) =>
      event.type === 'jobs' &&
      job.completedAt.getTime() === at &&
      job.workflowId === event.workflowId &&
      event.jobs.some(({ name }) => name === job.name);
    return { ...event, firstJob: jobs.find(isIt) ?? null };
  });
}

/** Where not all earlier jobs can be looked up, a job is not called new. */
async function withEarlierRuns(
  tx: Transaction,
  orgId: string,
  event: ChangeEvent,
  start: Day,
): Promise<ChangeEvent> {
  if (event.type !== 'jobs' || !hasNew(event)) return event;
  const { workflowId } = event;
  const last = (await findLastDays(tx, orgId, [workflowId], start)).get(workflowId);
  if (last === undefined) return event;
  const names = event.jobs.map(({ name }) => name);
  const earlier = await findLastDaysOfJobs(tx, orgId, { workflowId, names, before: start });
  const lastOf = (name: string | null) => earlier.lastDays.get(name);
  const jobs = event.jobs.map((job) =>
    job.kind === 'new' && (lastOf(job.name) !== undefined || !earlier.isWhole)
      ? { ...job, kind: 'returned' as const }
      : job,
  );
  if (event.kind !== 'new') return { ...event, jobs };
  if (event.isWhole) return { ...event, kind: 'returned', jobs, absence: { since: last, isKnown: true } };
  const returned = jobs.filter(({ kind }) => kind === 'returned');
  if (returned.length === 0) return event;
  const known = returned.flatMap(({ name }) => lastOf(name) ?? []).toSorted();
  const isKnown = known.length === returned.length;
  const since = isKnown ? known.at(-1)! : addDays(start, -1);
  return { ...event, kind: 'returned', jobs, absence: { since, isKnown } };
}
