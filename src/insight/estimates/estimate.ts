import type { RunnerPrice } from '../../ledger/pricing/cost.ts';
import type { Plan, PlanFile, Unresolved, WorkflowFiles } from '../../ledger/pricing/plan.ts';
import { readPriceList } from '../../ledger/pricing/priceList.ts';
import type { Provider, Providers } from '../../ledger/pricing/provider.ts';
import { dayOf, type Day, type Window } from '../../platform/lib/days.ts';
import { invalid } from '../../platform/lib/errors.ts';
import { magnitude, type Nanos } from '../../platform/lib/money.ts';
import { nearestOf } from '../../platform/lib/text.ts';
import { inTurns } from '../../platform/lib/turns.ts';
import { assumptionsOf, gapReasons } from './assumptions.ts';
import { createForecaster, timedOf, type Basis, type Expected, type JobForecast } from './forecastJobs.ts';
import type { History, HistoryContext } from './history.ts';
import { differencesOf, pairJobs, type Pair } from './match.ts';
import { recordsOf, type Records } from './records.ts';
import { createRunners } from './runners.ts';
import { createSpeeds } from './speeds.ts';
import { createSampler, rangeOf, weeksOf, type Outlook, type Sampler } from './weeks.ts';

export type EstimateQuestion = {
  repository: string;
  provider?: string | undefined;
  base: { files: readonly PlanFile[] };
  head: { files: readonly PlanFile[] };
  days?: number | undefined;
  /** For readers without access to other repositories, whose job names and durations it otherwise uses. */
  isOfOwnJobsOnly?: boolean;
};

export type Amount = { nanos: Nanos; lowNanos: Nanos; highNanos: Nanos };

export type EstimatedJob = {
  workflow: string;
  path: string;
  job: string;
  status: 'added' | 'removed' | 'changed' | 'unchanged';
  /** The labels and group in the file. Null if the file does not say. */
  runner: string | null;
  /** The runner at the base, if it differs. */
  runnerBefore: string | null;
  /** Null if the job does not exist on this side or its amount is unknown. */
  base: Amount | null;
  head: Amount | null;
  change: Amount | null;
  isUnpriced: boolean;
  basis: Basis;
};

export type Estimate = {
  repository: string;
  provider: string;
  days: number;
  period: Window;
  recordedJobs: number;
  /** Days marked unusual, from which nothing is extrapolated. */
  leftOutDays: Day[];
  /** Warns if nothing of the repository was ever recorded. */
  note: string | null;
  change: Amount;
  base: Amount;
  head: Amount;
  /** Changed jobs first, by size of the change. */
  jobs: EstimatedJob[];
  assumptions: string[];
  unresolved: Unresolved[];
};

/** In this process. A server leaves it to a thread, because the files of strangers take long. */
export function estimateHere(ctx: HistoryContext, question: EstimateQuestion): Promise<Estimate> {
  return estimateChange(recordsOf(ctx), question, {
    providers: ctx.providers,
    today: dayOf(ctx.clock.now()),
  });
}

export async function estimateChange(
  records: Records,
  question: EstimateQuestion,
  { providers, today }: { providers: Providers; today: Day },
): Promise<Estimate> {
  const { repository, days = 30, isOfOwnJobsOnly = false } = question;
  const { provider, files } = providerOf(question, providers);
  const [base, head] = [
    await files.read(question.base.files, { repository }),
    await files.read(question.head.files, { repository }),
  ];
  const history = await records.history({ repository, provider: provider.id });
  const pairs = pairJobs(base, head);
  const list = readPriceList(await records.priceList(), providers);
  const weeks = weeksOf(history.window);
  const runners = createRunners(history.jobs, {
    list,
    provider: history.provider ?? provider.id,
    day: today,
  });
  const recorded = history.jobs.filter(({ isStandIn }) => !isStandIn);
  const own = timedOf(recorded, repository, weeks);
  const needsOthers = !isOfOwnJobsOnly && pairs.some((pair) => !pair.base);
  const others = needsOthers ? await othersOf(records, history, repository) : [];
  const isMoved = pairs.some((pair) => differencesOf(pair).includes('runner'));
  const workflowIds = isMoved ? [...history.firstDays.keys()] : [];
  const passed = isMoved ? await records.passedRuns({ window: history.window, workflowIds }) : [];
  const { forecast, frequencies } = createForecaster({
    history,
    weeks,
    runners,
    speeds: createSpeeds(passed, runners),
    repository,
    timed: [...own, ...others],
  });
  const forecasts: JobForecast[] = [];
  for await (const pair of inTurns(pairs)) forecasts.push(withUnreadable(forecast(pair), base, head));
  const sampler = createSampler(weeks, days);
  const unresolved = mergeUnresolved(base, head);
  unresolved.push(...forecasts.flatMap(unresolvedOf));
  for (const { workflow, notes } of frequencyNotes(pairs, frequencies))
    unresolved.push(...notes.map((reason) => ({ path: workflow, job: null, reason })));
  return {
    repository,
    provider: provider.id,
    days,
    period: history.window,
    recordedJobs: history.recordedJobs,
    leftOutDays: [...history.leftOutDays],
    note: history.provider === null ? await unknownRepository(records, question) : null,
    ...(await amountsOf(forecasts, sampler)),
    assumptions: assumptionsOf(forecasts, {
      history,
      bookName: list.book.name,
      isFree: ({ job }) => isFree(runners.ofJob(job)),
      frequencies: pairs.flatMap((pair) => frequencies(pair) ?? []),
    }),
    unresolved,
  };
}

function isFree(runner: RunnerPrice | null): boolean {
  return runner !== null && runner.hasPrice && runner.nanosPerMinute === 0n;
}

async function unknownRepository(
  records: Records,
  { repository, isOfOwnJobsOnly }: EstimateQuestion,
): Promise<string> {
  const names = isOfOwnJobsOnly ? [] : await records.repositoryNames();
  const nearest = nearestOf(repository.toLowerCase(), names);
  return `Nothing of ${repository} is recorded yet.${nearest === undefined ? '' : ` Did you mean ${nearest}?`}`;
}

type Reads = { provider: Provider; files: WorkflowFiles };

/** The requested provider, or the first one whose files differ, or the first one with any files. */
function providerOf({ provider: id, base, head }: EstimateQuestion, providers: Providers): Reads {
  const known = providers.list.flatMap((provider): Reads[] =>
    provider.workflowFiles ? [{ provider, files: provider.workflowFiles }] : [],
  );
  if (id !== undefined) {
    const asked = known.find(({ provider }) => provider.id === id);
    if (!asked)
      throw invalid('provider', `must be one of ${known.map(({ provider }) => provider.id).join(', ')}`);
    return asked;
  }
  const entriesOf = (list: readonly PlanFile[], { files }: Reads) =>
    JSON.stringify(list.filter(({ path }) => files.isEntry(path)));
  return (
    known.find((each) => entriesOf(base.files, each) !== entriesOf(head.files, each)) ??
    known.find((each) => entriesOf(head.files, each) !== '[]') ??
    known[0]!
  );
}

async function othersOf(records: Records, { window }: History, repository: string) {
  const sums = await records.jobSums(window);
  return sums
    .filter((sum) => sum.repository.toLowerCase() !== repository.toLowerCase())
    .map((sum) => ({ ...sum, workflow: sum.workflowPath ?? sum.workflowName }));
}

/** A job that could not be read on one side counts neither as added nor as removed. */
function withUnreadable(forecast: JobForecast, base: Plan, head: Plan): JobForecast {
  const { pair } = forecast;
  const { job, workflow } = pair.head ?? pair.base!;
  const isLost = (plan: Plan) => {
    const planned = plan.workflows.find(({ path }) => path === workflow.path);
    if (planned) return planned.unreadKeys.some((key) => key === '' || `${job.key} /`.startsWith(`${key} /`));
    return plan.unresolved.some((each) => each.path === workflow.path && each.job === null);
  };
  const unreadable: Expected = { flows: null, gap: 'unreadable' };
  if (!pair.head && isLost(head)) return { ...forecast, head: unreadable };
  if (!pair.base && isLost(base)) return { ...forecast, base: unreadable };
  return forecast;
}

function mergeUnresolved(base: Plan, head: Plan): Unresolved[] {
  const keyOf = (each: Unresolved) => JSON.stringify([each.path, each.job, each.reason]);
  return [...new Map([...head.unresolved, ...base.unresolved].map((each) => [keyOf(each), each])).values()];
}

function unresolvedOf({ pair, base, head, basis }: JobForecast): Unresolved[] {
  const { workflow, job } = pair.head ?? pair.base!;
  const gap = head?.gap ?? base?.gap;
  if (gap) return [{ path: workflow.path, job: job.name, reason: gapReasons[gap] }];
  if (basis.kind !== 'none') return [];
  return [{ path: workflow.path, job: job.name, reason: `Counts as $0: ${basis.text}.` }];
}

function frequencyNotes(
  pairs: readonly Pair[],
  frequencies: ReturnType<typeof createForecaster>['frequencies'],
): { workflow: string; notes: string[] }[] {
  const found = new Map(
    pairs.flatMap((pair) => (pair.head ? [[pair.head.workflow, frequencies(pair)!]] : [])),
  );
  return [...found].map(([{ path }, { unresolved }]) => ({ workflow: path, notes: unresolved }));
}

async function amountsOf(
  forecasts: readonly JobForecast[],
  sampler: Sampler,
): Promise<Pick<Estimate, 'base' | 'head' | 'change' | 'jobs'>> {
  const nothing = sampler([]);
  const total = { base: sampler([]), head: sampler([]) };
  const jobs: EstimatedJob[] = [];
  for await (const forecast of inTurns(forecasts)) {
    const base = outlookOf(forecast.base, sampler);
    const head = forecast.head === forecast.base ? base : outlookOf(forecast.head, sampler);
    // If one side has no amount, the change is unknown, so neither side counts.
    const isKnown = !forecast.base?.gap && !forecast.head?.gap;
    if (isKnown) addTo(total.base, base ?? nothing);
    if (isKnown) addTo(total.head, head ?? nothing);
    const change = isKnown ? amountOf(minus(head ?? nothing, base ?? nothing)) : null;
    jobs.push(jobOf(forecast, { base: base && amountOf(base), head: head && amountOf(head), change }));
  }
  const [base, head] = [amountOf(total.base), amountOf(total.head)];
  const change = { ...amountOf(minus(total.head, total.base)), nanos: head.nanos - base.nanos };
  return { base, head, change, jobs: jobs.toSorted(byChange) };
}

function outlookOf(expected: Expected | null, sampler: Sampler): Outlook | null {
  return expected?.flows ? sampler(expected.flows) : null;
}

function addTo(sum: Outlook, { central, samples }: Outlook): void {
  sum.central += central;
  for (let index = 0; index < samples.length; index++) sum.samples[index]! += samples[index]!;
}

function minus(a: Outlook, b: Outlook): Outlook {
  return {
    central: a.central - b.central,
    samples: a.samples.map((value, index) => value - b.samples[index]!),
  };
}

function amountOf({ central, samples }: Outlook): Amount {
  const { low, high } = rangeOf(samples);
  return {
    nanos: toTheCent(central),
    lowNanos: toTheCent(Math.min(low, central)),
    highNanos: toTheCent(Math.max(high, central)),
  };
}

const nanosPerCent = 10_000_000;

function toTheCent(nanos: number): Nanos {
  return BigInt(Math.round(nanos / nanosPerCent)) * BigInt(nanosPerCent);
}

function jobOf(
  { pair, differences, base, head, basis }: JobForecast,
  amounts: Pick<EstimatedJob, 'base' | 'head' | 'change'>,
): EstimatedJob {
  const { workflow, job } = pair.head ?? pair.base!;
  const [runner, before] = [pair.head ?? pair.base!, pair.base].map((side) => side && runnerText(side.job));
  const isChanged = differences.length > 0 || (pair.base && pair.base.job.name !== job.name);
  return {
    workflow: workflow.name,
    path: workflow.path,
    job: job.name,
    status: !pair.base ? 'added' : !pair.head ? 'removed' : isChanged ? 'changed' : 'unchanged',
    runner: runner ?? null,
    runnerBefore: before === runner ? null : (before ?? null),
    ...amounts,
    isUnpriced: [base, head].some((side) => side?.gap === 'unpriced'),
    basis,
  };
}

function runnerText({
  labels,
  runnerGroup,
}: {
  labels: readonly string[] | null;
  runnerGroup: string | null;
}) {
  if (labels === null) return null;
  return [...(runnerGroup === null ? [] : [`group ${runnerGroup}`]), ...labels].join(', ') || 'no label';
}

function byChange(a: EstimatedJob, b: EstimatedJob): number {
  const rank = ({ status }: EstimatedJob) => Number(status === 'unchanged');
  const size = ({ change }: EstimatedJob) => Number(magnitude(change?.nanos ?? 0n));
  const cost = ({ head }: EstimatedJob) => Number(head?.nanos ?? 0n);
  return rank(a) - rank(b) || size(b) - size(a) || cost(b) - cost(a);
}
