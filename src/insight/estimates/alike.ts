import type { RunnerPrice } from '../../ledger/pricing/cost.ts';
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

type Wanted = { key: string; name: string; workflow: string; repository: string; runner: RunnerPrice };

/** What one of these jobs costs on the wanted runner, and which jobs that is about. */
export type Alike = { pool: number[]; jobs: number; text: string };

const maxPool = 200;

/**
 * Takes jobs on the same runner with a similar name, then those on the same runner, then those with a similar name; of
 * each the ones of the workflow, then of the repository, then of the organization.
 */
export function findAlike(wanted: Wanted, timed: readonly Timed[]): Alike | null {
  const judged = timed
    .filter(({ jobs }) => jobs > 0)
    .map((each) => ({
      each,
      isSimilar: isSimilar(wanted, each.name),
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

/** Names without the values of a matrix that share at least half of their words. */
function isSimilar({ key, name }: Wanted, other: string): boolean {
  const others = wordsOf(other);
  return [key, name].some((own) => {
    const words = wordsOf(own);
    const shared = words.filter((word) => others.includes(word)).length;
    return shared > 0 && shared * 2 >= Math.max(words.length, others.length);
  });
}

function wordsOf(name: string): string[] {
  const words = name
    .toLowerCase()
    .replace(/\(.*\)/, '')
    .split(/[^\p{L}\p{N}]+/u);
  return [...new Set(words.filter((word) => word !== ''))];
}
