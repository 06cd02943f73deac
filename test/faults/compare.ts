import pg from 'pg';
import { checkRollups } from '../../bench/rollups.ts';
import type { Load } from './load.ts';

export type Comparison = {
  /** Runs whose requests were all answered with success. */
  acknowledged: number;
  /** Acknowledged runs that are not stored with all their jobs. */
  lost: number;
  /** How often a run or job is counted more than once. */
  doubled: number;
  /** Jobs with a wrong cost, batches stored in part, and sums that differ from their jobs. */
  wrong: number;
};

/** The expected costs, computed from what was sent. */
export async function compareStored(databaseUrl: string, load: Load): Promise<Comparison> {
  const db = new pg.Client({ connectionString: databaseUrl });
  await db.connect();
  try {
    const runs = await db.query<{ id: string }>('select id from runs');
    const jobs = await db.query<{ run_id: string; job_id: string; cost_nanos: string }>(
      'select run_id, job_id, cost_nanos from jobs',
    );
    const days = await db.query<{ runs: string; jobs: string; nanos: string }>(
      `select coalesce(sum(runs), 0)::int8 as runs, coalesce(sum(jobs), 0)::int8 as jobs,
        coalesce(sum(cost_nanos), 0)::int8 as nanos from organization_days`,
    );
    const storedJobs = new Map<string, string>(
      jobs.rows.map((row) => [`${row.run_id}/${row.job_id}`, row.cost_nanos]),
    );
    const ids = new Set(runs.rows.map(({ id }) => id));
    const sent = [...load.runs];
    const isStored = (id: string) =>
      ids.has(id) && [...load.runs.get(id)!.jobs.keys()].every((job) => storedJobs.has(`${id}/${job}`));
    const acknowledged = sent.filter(([, run]) => run.acknowledged).map(([id]) => id);
    const expected = new Map<string, bigint>(
      sent.flatMap(([id, run]) => [...run.jobs].map(([job, nanos]) => [`${id}/${job}`, nanos] as const)),
    );
    const sum = [...storedJobs.keys()].reduce((total, key) => total + (expected.get(key) ?? 0n), 0n);
    const counted = days.rows[0]!;
    const wrongJobs = [...storedJobs].filter(([key, nanos]) => expected.get(key) !== BigInt(nanos));
    const sumIsExact = sum === BigInt(counted.nanos) && (await rollupsAreExact(db));
    return {
      acknowledged: acknowledged.length,
      lost: acknowledged.filter((id) => !isStored(id)).length,
      doubled: Number(counted.runs) - ids.size + Number(counted.jobs) - storedJobs.size,
      wrong: wrongJobs.length + countPartial(load, ids) + (sumIsExact ? 0 : 1),
    };
  } finally {
    await db.end();
  }
}

async function rollupsAreExact(db: pg.Client): Promise<boolean> {
  return checkRollups(db).then(
    () => true,
    () => false,
  );
}

/** Batches that were stored only in part. */
function countPartial(load: Load, ids: ReadonlySet<string>): number {
  const batches = Map.groupBy(load.runs, ([, run]) => run.batch);
  return [...batches.values()].filter((runs) => {
    const stored = runs.filter(([id]) => ids.has(id)).length;
    return stored > 0 && stored < runs.length;
  }).length;
}
