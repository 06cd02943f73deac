import { dollars } from '../../platform/lib/amountTexts.ts';
import { apiFields } from '../../platform/lib/apiFields.ts';
import { longDay } from '../../platform/lib/days.ts';
import { sumOf } from '../../platform/lib/lists.ts';
import { usd, usdOrNull } from '../../platform/lib/money.ts';
import { countOf } from '../../platform/lib/text.ts';
import { breakEven, type JobMove, type Move, type Staying } from './decide.ts';
import type { Moves } from './getMoves.ts';
import type { Runner } from './runners.ts';
import { minRuns, type Speed } from './speed.ts';
import { moveText, speedOfAll, stayingText, thenOf } from './wording.ts';

const maxJobsShown = 20;

export function movesView(found: Moves, shown: readonly Move[]) {
  const { period, leftOutDays, moves, staying } = found;
  return {
    period,
    left_out_days: leftOutDays,
    saving_per_month: usd(sumOf(moves, 'savingNanos')),
    assumptions: assumptionsOf(found),
    moves: shown.map((move) => moveView(move, found)),
    must_stay: staying.map((each) => stayingView(each, found)),
  };
}

function assumptionsOf({ period, isYoung, basis, leftOutDays, isCovered, moves }: Moves): string[] {
  const hinted = moves.filter(({ from, to }) =>
    [from, to].some(({ price }) => price?.source.type === 'hint'),
  );
  const hintedNanos = sumOf(hinted, 'savingNanos');
  const [start, end] = [longDay(period.start), longDay(period.end)];
  return [
    `A month is 30 days like those from ${start} to ${end} (${countOf(period.days, 'day')}).${isYoung ? ' Nothing is recorded before.' : ''}`,
    ...(leftOutDays.length === 0 ? [] : ["A month leaves out each workflow's unusual days."]),
    `Amounts are list prices of ${end} (${basis.list.book.name}, with your rules). Savings count only what you pay after free runs, included minutes and discounts.`,
    ...(hintedNanos > 0n ? [`${dollars(hintedNanos)} of the savings are at prices that are hints.`] : []),
    ...(isCovered
      ? ['Included minutes paid all standard runners, so leaving them saves nothing and is no trial.']
      : []),
    `A job is measured if it passed at least ${minRuns} times on each runner. Failed and canceled jobs are expected to change by the same factor.`,
    'Runcost does not see workflow files here: containers, services and tools of a job may tie it to its runner.',
  ];
}

function moveView(move: Move, found: Moves) {
  const { state, from, to, jobs, nowNanos, savingNanos } = move;
  const pays = breakEven(move, found.basis.list.providers);
  return {
    state,
    from: runnerView(from),
    to: runnerView(to),
    text: moveText(move, pays),
    minutes: rounded(jobs.reduce((sum, { minutes }) => sum + minutes, 0)),
    cost_now: usd(nowNanos),
    cost_then: usdOrNull(thenOf(jobs, 'nanos')),
    cost_then_low: usdOrNull(thenOf(jobs, 'lowNanos')),
    cost_then_high: usdOrNull(thenOf(jobs, 'highNanos')),
    saving_per_month: usd(savingNanos),
    break_even: pays,
    speed: speedView(speedOfAll(jobs)),
    ...jobsView(jobs, found),
  };
}

function stayingView({ from, to, reason, jobs, nowNanos }: Staying, found: Moves) {
  return {
    from: runnerView(from),
    to: to && runnerView(to),
    reason,
    text: stayingText({ from, to, reason, jobs, nowNanos }),
    cost_now: usd(nowNanos),
    ...jobsView(jobs, found),
  };
}

function runnerView({ key, title, price }: Runner) {
  const source = price!.source;
  return {
    runner: key,
    title,
    usd_per_minute: usdOrNull(price?.nanosPerMinute ?? null),
    price_source: source.type,
    price_note: source.type === 'hint' ? `${source.hint.source}, read on ${source.hint.checkedOn}` : null,
  };
}

function jobsView(jobs: readonly JobMove[], { names }: Moves) {
  return {
    job_count: jobs.length,
    jobs: jobs.slice(0, maxJobsShown).map(({ job, minutes, nowNanos, after }) => ({
      workflow_id: job.workflowId,
      workflow: names.get(job.workflowId)?.name ?? job.workflowId,
      repository: names.get(job.workflowId)?.repository ?? '',
      job: job.name,
      minutes: rounded(minutes),
      cost_now: usd(nowNanos),
      cost_then: usdOrNull(after?.nanos ?? null),
      speed: speedView(after?.speed ?? null),
    })),
  };
}

const rounded = (value: number, digits = 1) => Number(value.toFixed(digits));

function speedView(speed: Speed | null) {
  if (!speed) return null;
  const { factor, low, high, ...runs } = speed;
  return { factor: rounded(factor, 3), low: rounded(low, 3), high: rounded(high, 3), ...apiFields(runs) };
}
