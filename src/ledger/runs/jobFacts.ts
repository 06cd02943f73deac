import { hash } from 'node:crypto';
import type { JobFacts } from './tables.ts';

/** Each combination is stored once, under a digest of the values in this order. */
export const factNames = [
  'labels',
  'runnerGroup',
  'rawConclusion',
  'ran',
  'runnerKind',
  'runnerRule',
  'nanosPerMinute',
  'rounding',
  'priceBookId',
  'priceRuleId',
  'isUnpriced',
  'flags',
] as const satisfies (keyof JobFacts)[];

export type StoredFacts = JobFacts & { id: bigint };

/** Divides jobs into what `jobs` and `job_facts` store. */
export type SplitJobs = <Job extends JobFacts>(
  jobs: readonly Job[],
) => { rows: (Omit<Job, keyof JobFacts> & { factsId: bigint | null })[]; facts: StoredFacts[] };

/** While the previous version may run, which cannot read facts, `jobs` keeps all of them. */
export function splitter(storesJobFacts: boolean): SplitJobs {
  return storesJobFacts
    ? split
    : (jobs) => ({ rows: jobs.map((job) => ({ ...job, factsId: null })), facts: [] });
}

const split: SplitJobs = (jobs) => {
  const facts = new Map<bigint, StoredFacts>();
  const rows = jobs.map((job) => {
    const id = idOf(job);
    if (!facts.has(id)) facts.set(id, { ...job, id });
    return { ...job, ...withoutFacts, ...keptForIndex(job), factsId: id };
  });
  return { rows, facts: [...facts.values()] };
};

const withoutFacts = Object.fromEntries(factNames.map((name) => [name, null]));

function keptForIndex({ rounding, runnerKind }: JobFacts) {
  return rounding === 'second' ? { rounding, runnerKind } : {};
}

function idOf(job: JobFacts): bigint {
  const values = factNames.map((name) => (name === 'nanosPerMinute' ? String(job[name]) : job[name]));
  return hash('sha256', JSON.stringify(values), 'buffer').readBigInt64BE();
}
