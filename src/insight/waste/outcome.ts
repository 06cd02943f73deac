import { dollars } from '../../platform/lib/amountTexts.ts';
import { addDays, longDay, type Day, type Window, windowBetween } from '../../platform/lib/days.ts';
import { getOrCreate, larger } from '../../platform/lib/lists.ts';
import { magnitude, type Nanos } from '../../platform/lib/money.ts';
import { isCategory, type FixKind } from './suggest.ts';

/** Compares whole weeks, because weekends cost less than working days. */
const daysPerWeek = 7;
const maxWeeks = 4;
const daysPerMonth = 30;

/** Equally many days before and after the day of the change, which belongs to neither side. */
export type Comparison = { weeks: number; before: Window; since: Window };

export type Compared = { costNanos: Nanos; workflowNanos: Nanos };

type Comparable = { state: 'compared'; before: Compared; since: Compared; comparison: Comparison };

/**
 * On `knownOn`, a week of whole days is over. `no_history` means that nothing was recorded a week before.
 */
type Result =
  | { state: 'too_early'; knownOn: Day }
  | { state: 'no_history' }
  | { state: 'too_many_jobs' }
  | Comparable;

/** `promisedNanos`: what the fix would have saved a month, when it was marked as done. Null if it was not recorded. */
export type Outcome = Result & { promisedNanos: Nanos | null };

export function compareDays(
  doneOn: Day,
  today: Day,
  firstDay: Day | null,
): Comparison | Extract<Result, { state: 'too_early' | 'no_history' }> {
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

/** The average in as many of these days, rounded to the cent, so that the amounts in a sentence add up. */
export function perDays(nanos: Nanos, days: number, weeks: number): Nanos {
  const over = cent * BigInt(daysPerWeek * weeks);
  return ((2n * nanos * BigInt(days) + over) / (2n * over)) * cent;
}

const saved = ({ before, since, comparison: { weeks } }: Comparable, days: number): Nanos =>
  perDays(before.costNanos, days, weeks) - perDays(since.costNanos, days, weeks);

export const savedPerWeek = (outcome: Comparable): Nanos => saved(outcome, daysPerWeek);
export const savedPerMonth = (outcome: Comparable): Nanos => saved(outcome, daysPerMonth);

/**
 * Of the fixes that promised something and can be compared, by id. Null if there are none. Runs that nobody needs have costs that
 * other fixes of their workflow save too, so of these the larger saving counts.
 */
export function pastSavings(
  outcomes: ReadonlyMap<string, Outcome>,
): { fixes: number; promisedNanos: Nanos; savedNanos: Nanos } | null {
  let [fixes, promisedNanos] = [0, 0n];
  const savings = new Map<string, Nanos[]>();
  for (const [id, outcome] of outcomes) {
    if (outcome.state !== 'compared' || outcome.promisedNanos === null) continue;
    fixes++;
    promisedNanos += outcome.promisedNanos;
    const [workflowId = '', kind] = id.split('.', 2);
    const ofWorkflow = getOrCreate(savings, workflowId, () => [0n]);
    const nanos = savedPerMonth(outcome);
    if (isCategory(kind as FixKind)) ofWorkflow[0]! += nanos;
    else ofWorkflow.push(nanos);
  }
  const once = (a: Nanos, b: Nanos) => (a > 0n && b > 0n ? larger(a, b) : a + b);
  const savedNanos = [...savings.values()].reduce((sum, own) => sum + own.reduce(once), 0n);
  return fixes === 0 ? null : { fixes, promisedNanos, savedNanos };
}

export function outcomeText(outcome: Outcome): string {
  const promised =
    outcome.promisedNanos === null ? '' : ` Promised ${dollars(outcome.promisedNanos)} a month`;
  if (outcome.state !== 'compared') return `${withoutResult(outcome)}${promised && `${promised}.`}`;
  const { before, since, comparison } = outcome;
  const weekly = savedPerWeek(outcome);
  const [first, second] = [before, since].map(({ costNanos }) =>
    dollars(perDays(costNanos, daysPerWeek, comparison.weeks)),
  );
  const result =
    weekly === 0n
      ? 'no change'
      : weekly > 0n
        ? `saved ${dollars(weekly)} a week`
        : `${dollars(magnitude(weekly))} a week more`;
  const kept = promised && `${promised}, ${savedText(savedPerMonth(outcome))}.`;
  return `${first} a week before, ${second} since: ${result}.${kept}`;
}

function savedText(nanos: Nanos): string {
  return nanos < 0n ? `costs ${dollars(magnitude(nanos))} more` : `saved ${dollars(nanos)}`;
}

function withoutResult(outcome: Exclude<Outcome, Comparable>): string {
  if (outcome.state === 'too_early') return `Too early to say until ${longDay(outcome.knownOn)}.`;
  if (outcome.state === 'no_history')
    return 'Nothing to compare with: no week was recorded before the change.';
  return 'Too many jobs to compare.';
}
