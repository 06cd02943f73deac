import { exactDollars } from '../../platform/lib/amountTexts.ts';
import { addDays, longDay, type Day, type Window, windowBetween } from '../../platform/lib/days.ts';
import { magnitude, type Nanos } from '../../platform/lib/money.ts';

/** Compares whole weeks, because weekends cost less than working days. */
const daysPerWeek = 7;
const maxWeeks = 4;

/** Equally many days before and after the day of the change, which belongs to neither side. */
export type Comparison = { weeks: number; before: Window; since: Window };

export type Compared = { costNanos: Nanos; workflowNanos: Nanos };

/**
 * On `knownOn`, a week of whole days is over. `no_history` means that nothing was recorded a week before.
 */
export type Outcome =
  | { state: 'too_early'; knownOn: Day }
  | { state: 'no_history' }
  | { state: 'too_many_jobs' }
  | ({ state: 'compared'; before: Compared; since: Compared } & { comparison: Comparison });

export function compareDays(
  doneOn: Day,
  today: Day,
  firstDay: Day | null,
): Comparison | Extract<Outcome, { state: 'too_early' | 'no_history' }> {
  const over = weeksBetween(doneOn, addDays(today, -1));
  if (over === 0) return { state: 'too_early', knownOn: addDays(doneOn, daysPerWeek + 1) };
  const recorded = firstDay === null ? 0 : weeksBetween(firstDay, doneOn);
  const weeks = Math.min(over, recorded, maxWeeks);
  if (weeks === 0) return { state: 'no_history' };
  const days = weeks * daysPerWeek;
  return {
    weeks,
    before: windowBetween(addDays(doneOn, -days), addDays(doneOn, -1)),
    since: windowBetween(addDays(doneOn, 1), addDays(doneOn, days)),
  };
}

function weeksBetween(first: Day, last: Day): number {
  if (last <= first) return 0;
  return Math.floor((windowBetween(first, last).days - 1) / daysPerWeek);
}

const cent: Nanos = 10_000_000n;

/** The average per week, rounded to the cent, so that the amounts in a sentence add up. */
export function perWeek(nanos: Nanos, weeks: number): Nanos {
  const divisor = 2n * cent * BigInt(weeks);
  return ((2n * nanos + cent * BigInt(weeks)) / divisor) * cent;
}

export function savedPerWeek({
  before,
  since,
  comparison: { weeks },
}: Extract<Outcome, { state: 'compared' }>) {
  return perWeek(before.costNanos, weeks) - perWeek(since.costNanos, weeks);
}

export function outcomeText(outcome: Outcome): string {
  if (outcome.state === 'too_early') return `Too early to say until ${longDay(outcome.knownOn)}.`;
  if (outcome.state === 'no_history')
    return 'Nothing to compare with: no week was recorded before the change.';
  if (outcome.state === 'too_many_jobs') return 'Too many jobs to compare.';
  const { before, since, comparison } = outcome;
  const saved = savedPerWeek(outcome);
  const [first, second] = [before, since].map(({ costNanos }) =>
    exactDollars(perWeek(costNanos, comparison.weeks)),
  );
  const result =
    saved === 0n
      ? 'no change'
      : saved > 0n
        ? `saved ${exactDollars(saved)} a week`
        : `${exactDollars(magnitude(saved))} a week more`;
  return `${first} a week before, ${second} since: ${result}.`;
}
