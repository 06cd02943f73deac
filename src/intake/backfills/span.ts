import { dayOf, startOfDay } from '../../platform/lib/days.ts';
import { invalid } from '../../platform/lib/errors.ts';
import { readInstant } from '../../platform/lib/instant.ts';

const millisecondsEach: Record<string, number> = { h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 };
/** GitHub Actions is younger. */
const earliest = new Date('2018-01-01T00:00:00Z');

/**
 * What a backfill is to cover. `since` and `until` are an instant, a calendar day (its beginning, and for `until` its
 * end), or so long ago: `90d`, `36h`, `2w`. Without `until`, up to now. `path` is where they stand: `body.` or `--`.
 */
export function readSpan(
  asked: { since: string; until?: string | undefined },
  { now, path }: { now: Date; path: string },
): { since: Date; until: Date } {
  const since = readTime(asked.since, { now, path: `${path}since`, isEnd: false });
  const until =
    asked.until === undefined ? now : readTime(asked.until, { now, path: `${path}until`, isEnd: true });
  if (since < earliest) throw invalid(`${path}since`, `must not lie before ${dayOf(earliest)}`);
  const end = until < now ? until : now;
  if (since >= end) throw invalid(`${path}since`, `must lie in the past and before ${path}until`);
  return { since, until: end };
}

function readTime(text: string, { now, path, isEnd }: { now: Date; path: string; isEnd: boolean }): Date {
  const [, count, unit] = /^(\d{1,4})([hdw])$/.exec(text) ?? [];
  if (count && unit) return new Date(now.getTime() - Number(count) * millisecondsEach[unit]!);
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) {
    const start = startOfDay(text);
    if (Number.isNaN(start.getTime()) || dayOf(start) !== text) throw invalid(path, 'is no day');
    return isEnd ? new Date(start.getTime() + millisecondsEach['d']!) : start;
  }
  try {
    return readInstant(path, text);
  } catch {
    throw invalid(path, 'must be a day such as 2026-01-31, an instant such as 2026-01-31T09:30:00Z, or 90d');
  }
}
