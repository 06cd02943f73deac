import type { Transaction } from '../../../platform/db/database.ts';
import { findJobsAt, type FoundJob } from '../listing.queries.ts';
import type { ChangeEvent } from './events.ts';

/** `firstJob` is the recorded job that it came from, while it is kept. */
export type NamedEvent = ChangeEvent & { firstJob: FoundJob | null };

export function hasFirstJob(event: ChangeEvent): boolean {
  return event.type === 'jobs' && event.origin?.job != null;
}

/** The day can have changed since the event was found, so a job of another name is not the one. */
export async function findFirstJobs(
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
