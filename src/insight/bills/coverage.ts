import { addDays, type Day, type Window, windowBetween } from '../../platform/lib/days.ts';

type Range = { firstDay: Day; lastDay: Day };

/** Days of an organization's product that a report covers: from its first day to its last. */
export type Coverage = Range & {
  reportId: string;
  organization: string;
  product: string;
};

/**
 * Which report counts on which days of the window: the latest that covers them, never two. `coverages` has the latest
 * report first; the answer's ranges do not overlap for an organization and product.
 */
export function decideCoverage(coverages: readonly Coverage[], window: { start: Day; end: Day }): Coverage[] {
  const decided: Coverage[] = [];
  const taken = new Map<string, Range[]>();
  for (const coverage of clip(coverages, window)) {
    const before = taken.get(keyOf(coverage)) ?? [];
    const free = without(coverage, before);
    decided.push(...free.map((range) => ({ ...coverage, ...range })));
    taken.set(keyOf(coverage), [...before, ...free]);
  }
  return decided;
}

/** The parts of the coverages within the window. */
export function clip(coverages: readonly Coverage[], { start, end }: { start: Day; end: Day }): Coverage[] {
  return coverages
    .filter(({ firstDay, lastDay }) => firstDay <= end && lastDay >= start)
    .map((coverage) => ({
      ...coverage,
      firstDay: coverage.firstDay > start ? coverage.firstDay : start,
      lastDay: coverage.lastDay < end ? coverage.lastDay : end,
    }));
}

/**
 * On how many days each report counted so far that a new one takes from it, for any organization or product, by report.
 * `earlier` has the latest report first.
 */
export function daysTaken(earlier: readonly Coverage[], added: readonly Coverage[]): Map<string, number> {
  const byKey = new Map(added.map((coverage) => [keyOf(coverage), coverage]));
  const lost = new Map<string, Range[]>();
  for (const coverage of decideCoverage(earlier, periodOf(added))) {
    const by = byKey.get(keyOf(coverage));
    if (!by) continue;
    const ranges = clip([coverage], { start: by.firstDay, end: by.lastDay });
    const before = lost.get(coverage.reportId) ?? [];
    // A day of two products is one day.
    lost.set(coverage.reportId, [...before, ...ranges.flatMap((range) => without(range, before))]);
  }
  const days = [...lost].map(([reportId, ranges]) => [reportId, countDays(ranges)] as const);
  return new Map(days.filter(([, count]) => count > 0));
}

/** What organizations and products a report covers, from each one's first day to its last. */
export function coveragesOf(
  reportId: string,
  products: Iterable<Range & { organization: string; product: string }>,
): Coverage[] {
  const coverages = new Map<string, Coverage>();
  for (const { organization, product, firstDay, lastDay } of products) {
    const coverage = { reportId, organization, product, firstDay, lastDay };
    const known = coverages.get(keyOf(coverage));
    if (!known) coverages.set(keyOf(coverage), coverage);
    else if (firstDay < known.firstDay) known.firstDay = firstDay;
    if (known && lastDay > known.lastDay) known.lastDay = lastDay;
  }
  return [...coverages.values()];
}

/** From the first day of any to the last of any; there is one at least. */
export function periodOf(coverages: readonly Range[]): { start: Day; end: Day } {
  const [first, ...others] = coverages.map(({ firstDay, lastDay }) => ({ start: firstDay, end: lastDay }));
  return others.reduce(
    ({ start, end }, other) => ({
      start: other.start < start ? other.start : start,
      end: other.end > end ? other.end : end,
    }),
    first!,
  );
}

function keyOf({ organization, product }: Pick<Coverage, 'organization' | 'product'>): string {
  return JSON.stringify([organization, product]);
}

/** What is left of a range, in order. */
function without({ firstDay, lastDay }: Range, taken: readonly Range[]): Range[] {
  let left: Range[] = [{ firstDay, lastDay }];
  for (const { firstDay: from, lastDay: to } of taken) {
    left = left.flatMap((range) => {
      if (to < range.firstDay || from > range.lastDay) return [range];
      const before = { firstDay: range.firstDay, lastDay: addDays(from, -1) };
      const after = { firstDay: addDays(to, 1), lastDay: range.lastDay };
      return [before, after].filter((part) => part.firstDay <= part.lastDay);
    });
  }
  return left;
}

function countDays(ranges: readonly Range[]): number {
  return ranges.reduce((sum, { firstDay, lastDay }) => sum + windowBetween(firstDay, lastDay).days, 0);
}

export type Covered = {
  /** The organization whose report is about an owner's repositories; '' for reports that name none. */
  organizationOf: (owner: string) => string;
  /** Whether a bill of GitHub Actions covers an owner's repositories on a day. */
  isCovered: (owner: string, day: Day) => boolean;
};

/** Tells whose repositories the bill of GitHub Actions is about, and on which days. */
export function coveredBy(decided: readonly Coverage[]): Covered {
  const byOwner = Map.groupBy(
    decided.filter(({ product }) => product === 'actions'),
    ({ organization }) => organization,
  );
  // A person's report names no organization: it is taken for all that no other report is about.
  const organizationOf = (owner: string) => (byOwner.has(owner) ? owner : '');
  return {
    organizationOf,
    isCovered: (owner, day) =>
      (byOwner.get(organizationOf(owner)) ?? []).some(
        ({ firstDay, lastDay }) => firstDay <= day && day <= lastDay,
      ),
  };
}

export function countUncovered(decided: readonly Coverage[], period: Window): number {
  const covered = new Set<Day>();
  for (const { product, firstDay, lastDay } of decided) {
    if (product !== 'actions') continue;
    for (let day = firstDay; day <= lastDay; day = addDays(day, 1)) covered.add(day);
  }
  return period.days - covered.size;
}

/** A window in pieces, each short enough that reading it does not keep others waiting. */
export function piecesOf({ start, end }: { start: Day; end: Day }, days: number): { start: Day; end: Day }[] {
  const pieces: { start: Day; end: Day }[] = [];
  for (let from = start; from <= end; from = addDays(from, days)) {
    const last = addDays(from, days - 1);
    pieces.push({ start: from, end: last < end ? last : end });
  }
  return pieces;
}
