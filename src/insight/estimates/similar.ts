import type { RunnerPrice } from '../../ledger/pricing/cost.ts';
import { getOrCreate } from '../../platform/lib/lists.ts';
import { costOf } from './runners.ts';

/** Recorded jobs with one name on one runner kind, in a part of the window. */
export type Timed = {
  repository: string;
  workflow: string | null;
  name: string;
  runnerKind: string | null;
  jobs: number;
  minutes: bigint;
  seconds: bigint;
};

export type Worded = { each: Timed; words: ReadonlySet<string> };

type Wanted = { key: string; name: string; workflow: string; repository: string; runner: RunnerPrice };

/** `pool` has costs of similar jobs on the wanted runner; `text` describes these jobs. */
export type Similar = { pool: number[]; jobs: number; text: string };

const maxPool = 200;

/** Prefers the same runner and a similar name, then one of both; within each, the nearest place. */
export function findSimilar(wanted: Wanted, timed: readonly Worded[]): Similar | null {
  const own = [wanted.key, wanted.name].map(wordsOf);
  const judged = timed
    .filter(({ each }) => each.jobs > 0)
    .map(({ each, words }) => ({
      each,
      isSimilar: own.some((some) => areSimilar(some, words)),
      isSameRunner: each.runnerKind !== null && each.runnerKind === wanted.runner.kind,
      place: placeOf(wanted, each),
    }));
  for (const [isSameRunner, isSimilarName] of [
    [true, true],
    [true, false],
    [false, true],
  ] as const) {
    for (const place of places) {
      const found = judged.filter(
        (one) =>
          one.place === place && (!isSameRunner || one.isSameRunner) && (!isSimilarName || one.isSimilar),
      );
      if (found.length === 0) continue;
      const chosen = found
        .map(({ each }) => each)
        .toSorted((a, b) => b.jobs - a.jobs)
        .slice(0, maxPool);
      const jobs = chosen.reduce((sum, each) => sum + each.jobs, 0);
      const names = [...new Set(chosen.map(({ name }) => name))];
      const runner = isSameRunner ? 'on the same runner' : 'on another runner';
      const shown = names.slice(0, 3).join(', ') + (names.length > 3 ? ` and ${names.length - 3} more` : '');
      return {
        pool: chosen.map((each) => costOf(each, wanted.runner) / each.jobs),
        jobs,
        text: `${jobs} recorded ${jobs === 1 ? 'job' : 'jobs'} ${runner} in the same ${place}: ${shown}`,
      };
    }
  }
  return null;
}

const places = ['workflow', 'repository', 'organization'] as const;

function placeOf({ workflow, repository }: Wanted, job: Timed): (typeof places)[number] {
  if (job.repository.toLowerCase() !== repository.toLowerCase()) return 'organization';
  return job.workflow === workflow ? 'workflow' : 'repository';
}

function areSimilar(words: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
  const needed = Math.max(1, Math.max(words.size, others.size) / 2);
  return Math.min(words.size, others.size) >= needed && words.intersection(others).size >= needed;
}

/** Splits each recorded name only once, for all new jobs. */
export function withWords(timed: readonly Timed[]): Worded[] {
  const known = new Map<string, ReadonlySet<string>>();
  return timed.map((each) => ({ each, words: getOrCreate(known, each.name, () => wordsOf(each.name)) }));
}

/** Ignores the values of a matrix, which follow a name in parentheses. */
function wordsOf(name: string): ReadonlySet<string> {
  const [start, end] = [name.indexOf('('), name.lastIndexOf(')')];
  const title = start !== -1 && end > start ? name.slice(0, start) + name.slice(end + 1) : name;
  const words = title.toLowerCase().split(/[^\p{L}\p{N}]+/u);
  return new Set(words.filter((word) => word !== ''));
}
