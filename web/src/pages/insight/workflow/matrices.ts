import type { Costs } from '../../../analysis/queries.ts';
import type { Group } from '../../../charts/series.ts';

/** Merges the jobs of a matrix, such as `test (18)` and `test (20)`, into one group `test`. */
export function withWholeMatrices(costs: Costs): Costs {
  const matrices = new Map<string, Group[]>();
  for (const group of costs.groups) {
    const name = group.by[0]!.name.replace(/ \([^()]+\)$/, '');
    matrices.set(name, [...(matrices.get(name) ?? []), group]);
  }
  return {
    ...costs,
    groups: [...matrices].map(([name, jobs]) => (jobs.length > 1 ? merged(name, jobs) : jobs[0]!)),
  };
}

function merged(name: string, jobs: Group[]): Group {
  const [first] = jobs as [Group];
  const sum = (of: (job: Group) => number | null) =>
    Math.round(1e9 * jobs.reduce((total, job) => total + (of(job) ?? 0), 0)) / 1e9;
  const isCompared = first.previous_value !== null;
  return {
    ...first,
    // A different name, because one of the jobs can be named like the matrix.
    by: [{ ...first.by[0]!, name: `${name}, ${jobs.length} jobs`, value: name }],
    value: sum(({ value }) => value),
    change_percent: null,
    previous_value: isCompared ? sum(({ previous_value: before }) => before) : null,
    share_percent: sum(({ share_percent: share }) => share),
    series: first.series.map((point, index) => ({
      ...point,
      value: sum(({ series }) => series[index]!.value),
      previous_value:
        point.previous_value === null ? null : sum(({ series }) => series[index]!.previous_value),
    })),
    narrow: narrowTo(jobs),
  };
}

/** The API's link to costs of all these jobs. */
function narrowTo([first, ...others]: Group[]): string {
  const [path = '', search] = first!.narrow.split('?');
  const params = new URLSearchParams(search);
  for (const { narrow } of others)
    for (const job of new URLSearchParams(narrow.split('?')[1]).getAll('job')) params.append('job', job);
  params.set('group_by', 'job');
  return `${path}?${params.toString()}`;
}
