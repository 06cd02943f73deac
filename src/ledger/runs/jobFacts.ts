import { hash } from 'node:crypto';
import type { JobFacts } from './tables.ts';

/**
 * Each combination of these values is stored once. Its id is a digest of the values in this order, so never reorder
 * them.
 */
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

export type SplitJobs = <Job extends JobFacts>(
  jobs: readonly Job[],
) => { rows: (Omit<Job, keyof JobFacts> & { factsId: bigint | null })[]; facts: StoredFacts[] };

/** The previous version cannot read `job_facts`, so `jobs` keeps all values while that version may still run. */
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
