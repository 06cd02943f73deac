import { slots, slotsFor } from '../analysis/colors.ts';
import type { Costs } from '../analysis/queries.ts';
import type { Question } from '../analysis/question.ts';
import { ofJobsOnly, valueTitle } from '../analysis/words.ts';

export type Group = Costs['groups'][number];

export type Series = {
  key: string;
  title: string;
  /** Color slot; null for the series that sums up all others. */
  slot: number | null;
  value: number;
  values: number[];
  previous: (number | null)[];
  narrow: string | null;
};

export function keyOf({ by }: Pick<Group, 'by'>): string {
  return by.map(({ dimension, value }) => `${dimension}=${value ?? ''}`).join('&');
}

export function titleOf({ by }: Pick<Group, 'by'>): string {
  return by.map(({ dimension, name }) => valueTitle(dimension, name)).join(' · ');
}

/** Removes the digits that binary fractions add to sums. */
function rounded(value: number): number {
  return Math.round(value * 1e9) / 1e9;
}

/** The seven largest groups, and one series for the rest of the total. Without groups, only the total. */
export function topSeries({ groups, other, total }: Costs): Series[] {
  if (groups.length === 0 && other === null) return total.series.length > 0 ? [seriesOfTotal(total)] : [];
  const ranked = groups.toSorted((a, b) => b.value - a.value).filter(({ value }) => value > 0);
  const isAll = ranked.length <= slots && other === null;
  const top = ranked.slice(0, slots);
  const given = slotsFor(top.map(keyOf));
  const series: Series[] = top.map((group, index) => ({
    key: keyOf(group),
    title: titleOf(group),
    slot: given[index]!,
    value: group.value,
    values: group.series.map(({ value }) => value),
    previous: group.series.map(({ previous_value }) => previous_value),
    narrow: group.narrow,
  }));
  if (isAll) return series;
  const left = (whole: number, at: (each: Series) => number) =>
    Math.max(0, rounded(series.reduce((rest, each) => rest - at(each), whole)));
  return [
    ...series,
    {
      key: '',
      title: othersTitle(ranked.length - series.length + (other?.groups ?? 0)),
      slot: null,
      value: left(total.value, ({ value }) => value),
      values: total.series.map(({ value }, index) => left(value, ({ values }) => values[index] ?? 0)),
      previous: total.series.map(({ previous_value }, index) =>
        previous_value === null ? null : left(previous_value, ({ previous }) => previous[index] ?? 0),
      ),
      narrow: null,
    },
  ];
}

/** Above this ratio of the two largest values, a linear axis flattens all lines but one. */
const maxRatio = 5;

export function needsLog(series: readonly Pick<Series, 'values'>[]): boolean {
  return peakOf(series).times > maxRatio;
}

/** The highest line, and the ratio of its peak to the next highest peak. */
export function peakOf<T extends Pick<Series, 'values'>>(series: readonly T[]): { line?: T; times: number } {
  const peaks = series.map((line) => ({ line, peak: Math.max(0, ...line.values) }));
  const [highest, second] = peaks.toSorted((a, b) => b.peak - a.peak);
  return highest && second?.peak ? { line: highest.line, times: highest.peak / second.peak } : { times: 0 };
}

export function othersTitle(count: number): string {
  return count === 1 ? '1 other' : `${count} others`;
}

/**
 * The days that a chart marks as unusual. Days below the mean are not marked: their rise is small in dollars, however
 * large in percent.
 */
export function unusualDays({ series }: Pick<Costs['total'], 'series'>): string[] {
  const mean = series.reduce((sum, { value }) => sum + value, 0) / series.length;
  return series
    .filter(({ is_anomalous: isUnusual, value }) => isUnusual && value >= mean)
    .map(({ start }) => start);
}

/**
 * The part that all names share, such as `acme/` or ` (acme/api)`, which need not be repeated. Empty if there is none.
 */
export function commonOf(named: readonly { key: string; title: string }[]): string {
  const titles = named.filter(({ key }) => key !== '').map(({ title }) => title);
  const workflow = / \([^()]+\)$/.exec(titles[0] ?? '')?.[0];
  const owner = /(?:^|\(| · )([^/()\s]+\/)/.exec(titles[0] ?? '')?.[1];
  const shared = [workflow, owner].find((part) => part && titles.every((title) => title.includes(part)));
  return titles.length > 1 ? (shared ?? '') : '';
}

export function withoutCommon(title: string, common: string): string {
  return title.replace(common, '');
}

/** Shortens names for a legend. A repository loses its owner, even if it is the only series. */
export function shortened<T extends { key: string; title: string }>(series: readonly T[]): T[] {
  const [only, ...others] = series.filter(({ key }) => key !== '');
  const isOne = others.length === 0 && /^(repository|workflow)=/.test(only?.key ?? '');
  const common = isOne ? (/(?:^|\()([^/()\s]+\/)/.exec(only!.title)?.[1] ?? '') : commonOf(series);
  return series.map((each) => ({ ...each, title: withoutCommon(each.title, common) }));
}

function seriesOfTotal(total: Costs['total']): Series {
  return {
    key: 'total',
    title: 'Total',
    slot: 0,
    value: total.value,
    values: total.series.map(({ value }) => value),
    previous: total.series.map(({ previous_value }) => previous_value),
    narrow: null,
  };
}

export type Tile = {
  key: string;
  first: string | null;
  name: string;
  slot: number | null;
  value: number;
  children: Leaf[];
};
export type Leaf = {
  key: string;
  name: string;
  parent: string;
  slot: number | null;
  value: number;
  narrow: string | null;
};

/** Groups by the first dimension, with the second as children. All groups that the list leaves out form one tile. */
export function tilesOf({ groups, other }: Costs): Tile[] {
  const byFirst = new Map<string, Group[]>();
  for (const group of groups.filter(({ value }) => value > 0)) {
    const key = keyOf({ by: group.by.slice(0, 1) });
    byFirst.set(key, [...(byFirst.get(key) ?? []), group]);
  }
  const sums = [...byFirst].map(([key, parts]) => ({
    key,
    parts,
    value: rounded(parts.reduce((sum, { value }) => sum + value, 0)),
  }));
  const ranked = sums.toSorted((a, b) => b.value - a.value);
  const given = slotsFor(ranked.slice(0, slots).map(({ key }) => key));
  const titleIn = (parts: Group[]) => titleOf({ by: parts[0]!.by.slice(0, 1) });
  const common = commonOf(ranked.map(({ key, parts }) => ({ key, title: titleIn(parts) })));
  const innerOf = ({ by }: Group) => shorter(titleOf({ by: by.slice(1) }), titleOf({ by: by.slice(0, 1) }));
  const innerCommon = commonOf(groups.map((group) => ({ key: keyOf(group), title: innerOf(group) })));
  const tiles: Tile[] = ranked.map(({ key, parts, value }, index) => {
    const name = withoutCommon(titleIn(parts), common);
    const slot = given[index] ?? null;
    const children = parts.map((part): Leaf => ({
      key: keyOf(part),
      name: part.by.length > 1 ? withoutCommon(innerOf(part), innerCommon) : name,
      parent: name,
      slot,
      value: part.value,
      narrow: part.narrow,
    }));
    return { key, first: parts[0]!.by[0]!.value, name, slot, value, children };
  });
  if (!other || other.value <= 0) return tiles;
  const name = othersTitle(other.groups);
  const leaf: Leaf = { key: '', name, parent: name, slot: null, value: other.value, narrow: null };
  return [...tiles, { key: '', first: null, name, slot: null, value: other.value, children: [leaf] }];
}

/** The tiles with their own color, and one entry for the rest. */
export function legendOf(tiles: readonly Tile[]): Tile[] {
  const own = tiles.filter(({ key, slot }) => key !== '' && slot !== null);
  const rest = tiles.filter((tile) => !own.includes(tile));
  if (rest.length <= 1) return [...tiles];
  const value = rounded(rest.reduce((sum, tile) => sum + tile.value, 0));
  return [...own, { key: '', first: null, name: 'Others', slot: null, value, children: [] }];
}

/** Shortens `CI (acme/api)` to `CI` inside `acme/api`. */
function shorter(name: string, parent: string): string {
  return name.endsWith(` (${parent})`) ? name.slice(0, -parent.length - 3) : name;
}

const steps = ['repository', 'workflow', 'job', 'runner'];

/** The dimension that a treemap shows inside the first one, if the question has no second. */
export function secondOf(
  first: string,
  { metric, filters }: Pick<Question, 'metric' | 'filters'>,
): string | undefined {
  const isSettled = (name: string) =>
    name === first ||
    (metric === 'runs' && ofJobsOnly.includes(name)) ||
    filters.some(({ dimension, isNot, values }) => dimension === name && !isNot && values.length === 1);
  // From large units to small ones.
  return steps.slice(steps.indexOf(first) + 1).find((name) => !isSettled(name));
}

/** SVG path of a sparkline. `part` limits it to the points from one index up to, but not including, another. */
export function sparkPath(
  values: readonly number[],
  width: number,
  height: number,
  [first, end]: readonly [first: number, end: number] = [0, values.length],
): string {
  const highest = Math.max(...values, 0);
  if (values.length < 2 || highest === 0) return `M0 ${height}H${width}`;
  const x = (index: number) => ((index / (values.length - 1)) * width).toFixed(1);
  const y = (value: number) => (height - (Math.max(0, value) / highest) * height).toFixed(1);
  return values
    .slice(first, end)
    .map((value, index) => `${index === 0 ? 'M' : 'L'}${x(first + index)} ${y(value)}`)
    .join('');
}
