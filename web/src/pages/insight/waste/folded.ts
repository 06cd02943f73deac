type Saving = { saving_per_month: number };

const minPercent = 1;

/** Separates fixes that save less than 1% of the total, if there are at least two of them beside larger ones. */
export function folded<Fix extends Saving>(
  fixes: readonly Fix[],
  total: number,
): { large: readonly Fix[]; small: readonly Fix[] } {
  const isSmall = ({ saving_per_month: saving }: Fix) => 100 * saving < minPercent * total;
  const small = fixes.filter(isSmall);
  if (small.length < 2 || small.length === fixes.length) return { large: fixes, small: [] };
  return { large: fixes.filter((fix) => !isSmall(fix)), small };
}
