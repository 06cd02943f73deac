/** The last months that a plan can have, this one first: `2026-03`. */
export function lastMonths(now: Date): string[] {
  return Array.from({ length: 13 }, (_, index) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - index)).toISOString().slice(0, 7),
  );
}
