import { leftOutText } from '../../ledger/costs/unusualDays.ts';
import { countOf } from '../../platform/lib/text.ts';
import type { Speed } from '../moves/speed.ts';
import type { Frequencies } from './flows.ts';
import type { Gap, JobForecast } from './forecastJobs.ts';
import type { History } from './history.ts';
import type { Difference, Side } from './match.ts';

export const gapReasons: Record<Gap, string> = {
  unpriced: 'Its runner has no price, so the totals leave it out. Set a price for its label.',
  unknown_matrix: 'How many jobs its matrix makes is not known, so the totals leave it out.',
  unreadable: 'It cannot be read on one side, so the totals leave it out.',
  unknown_runner: 'Its runner is chosen when it runs, so the totals leave it out.',
  no_similar: 'It is new and no similar job is recorded, so the totals leave it out.',
};

export function assumptionsOf(
  forecasts: readonly JobForecast[],
  {
    history,
    bookName,
    frequencies,
    isFree,
  }: {
    history: History;
    bookName: string;
    frequencies: readonly Frequencies[];
    isFree: (side: Side) => boolean;
  },
): string[] {
  const { window } = history;
  const { recordedJobs: jobs, leftOutDays } = history;
  const leftOut = leftOutText(leftOutDays);
  const days = window.days === 1 ? '1 day' : `${window.days} days`;
  const lines = [
    jobs === 0
      ? `No job of the repository is recorded from ${window.start} to ${window.end}.`
      : `Coming days are like those from ${window.start} to ${window.end} (${days}, ${countOf(jobs, 'recorded job')}). Growth beyond chance goes on; other growth only widens the range.`,
    ...(leftOut === null ? [] : [leftOut]),
    `Amounts are list prices (${bookName}, with your rules), before free runs, included minutes and discounts.`,
    ...new Set(frequencies.flatMap(({ assumptions }) => assumptions)),
    ...aboutNewJobs(forecasts),
    ...aboutRunners(forecasts),
    ...aboutChanges(forecasts),
    ...aboutFree(forecasts, isFree),
    ...aboutRenamed(forecasts),
  ];
  return [...new Set(lines)];
}

function aboutNewJobs(forecasts: readonly JobForecast[]): string[] {
  const added = forecasts.filter(({ pair, basis }) => !pair.base && basis.kind === 'similar_jobs');
  const conditional = added.filter(({ pair }) => pair.head!.job.condition !== null).length;
  return [
    ...(added.length > 0
      ? [
          `New (${countOf(added.length, 'job')}): each takes as long as similar jobs, runs in every run, and is repeated as often as others.`,
        ]
      : []),
    ...(conditional > 0
      ? [
          `New with a condition (${countOf(conditional, 'job')}): only a run can answer it, so it counts as met.`,
        ]
      : []),
  ];
}

function aboutFree(forecasts: readonly JobForecast[], isFree: (side: Side) => boolean): string[] {
  const free = forecasts.filter(({ pair: { base, head }, differences }) => {
    const isChanged = !base || !head || differences.length > 0;
    return isChanged && [base, head].some((side) => side !== null && isFree(side));
  });
  if (free.length === 0) return [];
  const jobs = countOf(free.length, 'job');
  return [
    `Runners at $0 a minute, such as self-hosted ones (${jobs}): what the machines cost is not counted. Set a price for their label.`,
  ];
}

/** Workflows that are paired only because their jobs are the same. */
function aboutRenamed(forecasts: readonly JobForecast[]): string[] {
  const renamed = forecasts.flatMap(({ pair: { before, head } }) =>
    before && head && before.path !== head.workflow.path && before.name !== head.workflow.name
      ? [`${before.path} and ${head.workflow.path} have the same jobs: counted as one renamed workflow.`]
      : [],
  );
  return [...new Set(renamed)];
}

const texts: Partial<Record<Difference, (jobs: string) => string>> = {
  condition: (jobs) =>
    `Another condition (${jobs}): only a run can answer it, so the job runs as often as before.`,
  timeout: (jobs) => `Another time limit (${jobs}): expected to take as long as before.`,
  work: (jobs) => `Other steps or settings (${jobs}): expected to take as long as before.`,
  shards: (jobs) => `Another number of shards (${jobs}): expected to cost as much together as before.`,
  concurrency: (jobs) =>
    `Another setting for superseded runs (${jobs}): expected to be cancelled as often as before.`,
};

function aboutRunners(forecasts: readonly JobForecast[]): string[] {
  const moved = forecasts.filter(({ differences }) => differences.includes('runner'));
  const measured = moved.filter(({ speeds }) => speeds.length > 0);
  const others = moved.length - measured.length;
  const lines = measured.map(({ pair, speeds }) => {
    const [{ factor, low, high, runsBefore, runsAfter }] = speeds as [Speed];
    const range = `${low.toFixed(2)} to ${high.toFixed(2)}, from ${runsBefore} and ${runsAfter} runs`;
    return `Another runner (${pair.head!.job.name}): takes ${factor.toFixed(2)} times as long, as measured (${range}).`;
  });
  return [
    ...lines,
    ...(others > 0
      ? [`Another runner (${countOf(others, 'job')}): expected to take as long as before.`]
      : []),
  ];
}

function aboutChanges(forecasts: readonly JobForecast[]): string[] {
  return (Object.keys(texts) as Difference[]).flatMap((difference) => {
    const count = forecasts.filter(({ differences }) => differences.includes(difference)).length;
    return count > 0 ? [texts[difference]!(countOf(count, 'job'))] : [];
  });
}
