import { addDays, type Day, type Window } from '../lib/days.ts';

/** Days of an organization's product that a report covers: from its first day to its last. */
export type Coverage = {
  reportId: string;
  organization: string;
  product: string;
  firstDay: Day;
  lastDay: Day;
};

/**
 * Which report counts on which days of the window: the latest that covers them, never two. `coverages` has the latest
 * report first; the answer's ranges do not overlap for an organization and product.
 */
export function decideCoverage(coverages: readonly Coverage[], window: Window): Coverage[] {
  const decided: Coverage[] = [];
  const taken = new Map<string, Day[]>();
  for (const coverage of coverages) {
    const key = JSON.stringify([coverage.organization, coverage.product]);
    const before = new Set(taken.get(key));
    const first = coverage.firstDay > window.start ? coverage.firstDay : window.start;
    const last = coverage.lastDay < window.end ? coverage.lastDay : window.end;
    const free: Day[] = [];
    for (let day = first; day <= last; day = addDays(day, 1)) if (!before.has(day)) free.push(day);
    decided.push(...rangesOf(free).map(([firstDay, lastDay]) => ({ ...coverage, firstDay, lastDay })));
    taken.set(key, [...before, ...free]);
  }
  return decided;
}

/** Days in order, as ranges without gaps. */
function rangesOf(days: readonly Day[]): [first: Day, last: Day][] {
  const ranges: [Day, Day][] = [];
  for (const day of days) {
    const range = ranges.at(-1);
    if (range && addDays(range[1], 1) === day) range[1] = day;
    else ranges.push([day, day]);
  }
  return ranges;
}

/** Tells whether a bill of GitHub Actions covers an owner's repositories on a day. */
export function coveredDays(decided: readonly Coverage[]): (owner: string, day: Day) => boolean {
  const byOwner = Map.groupBy(
    decided.filter(({ product }) => product === 'actions'),
    ({ organization }) => organization,
  );
  // A person's report names no organization: it is taken for all that no other report is about.
  const nameless = byOwner.get('') ?? [];
  return (owner, day) =>
    (byOwner.get(owner) ?? nameless).some(({ firstDay, lastDay }) => firstDay <= day && day <= lastDay);
}
