/** The last 13 months, such as `2026-03`, newest first. */
export function lastMonths(now: Date): string[] {
  return Array.from({ length: 13 }, (_, index) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - index)).toISOString().slice(0, 7),
  );
}
