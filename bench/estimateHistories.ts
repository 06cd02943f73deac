import type { History } from '../src/insight/estimates/history.ts';
import type { JobCell, RunCell } from '../src/insight/estimates/queries.ts';
import { addDays, windowBetween, type Day } from '../src/platform/lib/days.ts';
import { randomOf, type Random } from '../src/platform/lib/random.ts';

/** A random history of a workflow and the month after it. */
export type RandomHistory = { history: History; month: JobCell[] };

type Kind = { name: string; runsPerDay: (day: Day, weeks: number) => number };

const isWeekend = (day: Day) => [0, 6].includes(new Date(day).getUTCDay());

/** `weeks` counts from the end of the history, so that months of all lengths cost about the same. */
export const kinds: readonly Kind[] = [
  { name: 'steady', runsPerDay: () => 8 },
  { name: 'steady, few runs', runsPerDay: () => 2 },
  { name: 'weekdays', runsPerDay: (day) => (isWeekend(day) ? 1 : 11) },
  { name: 'growing 3% a week', runsPerDay: (_, weeks) => 8 * 1.03 ** weeks },
  { name: 'growing 6% a week', runsPerDay: (_, weeks) => 8 * 1.06 ** weeks },
  { name: 'weekdays, growing 6%', runsPerDay: (day, weeks) => (isWeekend(day) ? 1 : 11) * 1.06 ** weeks },
];

export const randomPath = '.github/workflows/ci.yml';
const start = '2026-01-05';

/** Runs come at random (Poisson), and each takes from 2 to 40 minutes, mostly about 8. */
export function randomHistory(kind: Kind, weeks: number, monthDays: number, seed: number): RandomHistory {
  const random = randomOf(seed);
  const end = addDays(start, 7 * weeks - 1);
  const cells = Array.from({ length: 7 * weeks + monthDays }, (_, index) => {
    const day = addDays(start, index);
    return cellsOf(day, countedFrom(random, kind.runsPerDay(day, (index - 7 * weeks) / 7)), random);
  });
  const [known, month] = [cells.slice(0, 7 * weeks), cells.slice(7 * weeks)];
  const history: History = {
    window: windowBetween(start, end),
    jobs: known.flatMap(({ jobs }) => jobs),
    runs: known.flatMap(({ runs }) => runs),
    starts: [],
    recordedJobs: 0,
    leftOutDays: [],
    firstDays: new Map([['ci', start]]),
    provider: 'github',
  };
  return { history, month: month.flatMap(({ jobs }) => jobs) };
}

function cellsOf(day: Day, count: number, random: Random): { jobs: JobCell[]; runs: RunCell[] } {
  if (count === 0) return { jobs: [], runs: [] };
  const of = { day, workflowId: 'ci', workflowPath: randomPath, workflowName: 'CI', event: 'push' };
  const minutes = Array.from({ length: count }, () => minutesFrom(random)).reduce((a, b) => a + b, 0);
  const job: JobCell = {
    ...of,
    costDay: day,
    name: 'job',
    labels: ['ubuntu-latest'],
    runnerGroup: 'GitHub Actions',
    runnerKind: 'linux_2_core',
    rounding: 'minute',
    jobs: count,
    repeatedJobs: 0,
    minutes: BigInt(minutes),
    seconds: BigInt(minutes * 60),
  };
  return { jobs: [job], runs: [{ ...of, runs: count }] };
}

/** Knuth's method for the Poisson distribution. */
function countedFrom(random: Random, mean: number): number {
  const limit = Math.exp(-mean);
  let count = 0;
  for (let product = random(); product > limit; product *= random()) count++;
  return count;
}

/** The sum of three uniform numbers is nearly normal. */
function minutesFrom(random: Random): number {
  return Math.ceil(Math.min(40, Math.max(2, 8 * Math.exp(0.8 * (random() + random() + random() - 1.5)))));
}
