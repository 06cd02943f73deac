import type { Trend } from './queries.ts';

/**
 * The waste that each week is compared with. The first recorded week is incomplete and would draw a rise from nothing,
 * so it is left out. Null means too few weeks for a line.
 */
export function comparedWeeks(
  weeks: readonly Pick<Trend['weeks'][number], 'previous_waste_cost'>[],
): (number | null)[] | null {
  const before = weeks.map(({ previous_waste_cost: previous }) => previous);
  const isNothing = (value: number | null) => !value;
  const first = before.findIndex((value) => !isNothing(value));
  const known = before.map((value, index) => (index > first || (index === 0 && first === 0) ? value : null));
  return known.filter((value) => value !== null).length < 2 || first < 0 ? null : known;
}
