import { addDays, type Day, type Window, windowBetween } from '../../platform/lib/days.ts';

type Range = { firstDay: Day; lastDay: Day };

export type Coverage = Range & {
  reportId: string;
  organization: string;
  product: string;
};

/** On each day, only the latest report counts. `coverages` starts with the latest. */
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

export function clip(coverages: readonly Coverage[], { start, end }: { start: Day; end: Day }): Coverage[] {
  return coverages
    .filter(({ firstDay, lastDay }) => firstDay <= end && lastDay >= start)
    .map((coverage) => ({
      ...coverage,
      firstDay: coverage.firstDay > start ? coverage.firstDay : start,
      lastDay: coverage.lastDay < end ? coverage.lastDay : end,
    }));
}

export function daysTaken(earlier: readonly Coverage[], added: readonly Coverage[]): Map<string, number> {
  const byKey = new Map(added.map((coverage) => [keyOf(coverage), coverage]));
  const lost = new Map<string, Range[]>();
  for (const coverage of decideCoverage(earlier, periodOf(added))) {
    const by = byKey.get(keyOf(coverage));
    if (!by) continue;
    const ranges = clip([coverage], { start: by.firstDay, end: by.lastDay });
    const before = lost.get(coverage.reportId) ?? [];
    lost.set(coverage.reportId, [...before, ...ranges.flatMap((range) => without(range, before))]);
  }
  const days = [...lost].map(([reportId, ranges]) => [reportId, countDays(ranges)] as const);
  return new Map(days.filter(([, count]) => count > 0));
}

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
  organizationOf: (owner: string) => string;
  isCovered: (owner: string, day: Day) => boolean;
};

/** `all` has every report, because who has one of its own must not depend on the days. */
export function coveredBy(decided: readonly Coverage[], all: readonly Coverage[] = decided): Covered {
  const byOwner = Map.groupBy(
    decided.filter(({ product }) => product === 'actions'),
    ({ organization }) => organization,
  );
  const owners = new Set(
    all.filter(({ product }) => product === 'actions').map(({ organization }) => organization),
  );
  // A personal report names no organization, so it covers every owner without a report.
  const organizationOf = (owner: string) => (owners.has(owner) ? owner : '');
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

export function piecesOf({ start, end }: { start: Day; end: Day }, days: number): { start: Day; end: Day }[] {
  const pieces: { start: Day; end: Day }[] = [];
  for (let from = start; from <= end; from = addDays(from, days)) {
    const last = addDays(from, days - 1);
    pieces.push({ start: from, end: last < end ? last : end });
  }
  return pieces;
}
