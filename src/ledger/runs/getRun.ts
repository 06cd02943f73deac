import type { Context } from '../../context.ts';
import { notFound } from '../../platform/lib/errors.ts';
import { nameBooks, type BookNames } from '../pricing/books.ts';
import type { StoredJob } from './history.ts';
import { findJobs, findRun, type NamedRun } from './reading.queries.ts';

/** Re-runs and matrices can make a run of any size. */
const mostJobsShown = 2_000;

export type DetailedRun = { run: NamedRun; jobs: StoredJob[]; jobCount: number; bookNames: BookNames };

/** A run with its jobs over all attempts, by attempt and start. */
export async function getRun(
  { db, actor, providers }: Pick<Context, 'db' | 'actor' | 'providers'>,
  id: string,
): Promise<DetailedRun> {
  const run = await findRun(db, actor.orgId, id);
  if (!run) throw notFound('run');
  const found = await findJobs(db, actor.orgId, id, mostJobsShown);
  return { run, ...found, bookNames: await nameBooks({ db, providers }, actor.orgId, found.jobs) };
}
