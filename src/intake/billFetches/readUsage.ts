import { readDay } from '../../ledger/bills/readLine.ts';
import { csvLine } from '../../platform/lib/csv.ts';
import type { Day } from '../../platform/lib/days.ts';
import { oneLine } from '../../platform/lib/text.ts';
import { obstacleOf } from '../backfills/backfill.ts';
import { daysWithin } from './months.ts';
import { type DayRow, findDays, saveDay } from './queries.ts';
import type { Read, Step } from './step.ts';

const columns = [
  ['date', 'date'],
  ['product', 'product'],
  ['sku', 'sku'],
  ['quantity', 'quantity'],
  ['unit_type', 'unitType'],
  ['price_per_unit', 'pricePerUnit'],
  ['gross_amount', 'grossAmount'],
  ['discount_amount', 'discountAmount'],
  ['net_amount', 'netAmount'],
  ['organization', 'organizationName'],
  ['repository', 'repositoryName'],
] as const;

const heading = csvLine(columns.map(([name]) => name));

/**
 * A month of an organization or a user, day by day: without a day, GitHub answers with the first of each month only. Days
 * that this fetch has read are not asked for again, and others only for what is new.
 */
export async function readUsage({
  program,
  client,
  account,
  task,
  month,
  note,
  signal,
}: Step): Promise<Read> {
  const { clock, db } = program;
  const days = daysWithin(month, task.input.until);
  const stored = await findDays(db, account, { start: days[0]!, end: days.at(-1)! });
  const known = new Map(stored.map((row) => [row.day, row]));
  for (const [index, day] of days.entries()) {
    const before = known.get(day);
    if (before && before.fetchedAt >= task.createdAt) continue;
    signal.throwIfAborted();
    const [year, ofYear, ofMonth] = day.split('-').map(Number);
    const parameters = { year, month: ofYear, day: ofMonth };
    const answer = await client.billing('GET', account, '/usage', {
      parameters,
      etag: before?.etag ?? null,
      signal,
    });
    const isSame = answer.kind === 'unchanged' && before !== undefined;
    if (answer.kind !== 'data' && !isSame) return { kind: 'obstacle', obstacle: obstacleOf(answer) };
    const lines = isSame ? before.lines : answer.kind === 'data' ? linesOf(answer.data, day) : null;
    if (lines === null) return { kind: 'obstacle', obstacle: unreadable };
    const etag = answer.kind === 'data' ? answer.etag : before!.etag;
    const row: DayRow = {
      orgId: account.orgId,
      accountId: account.id,
      day,
      etag,
      lines,
      fetchedAt: clock.now(),
    };
    await saveDay(db, row);
    known.set(day, row);
    await note(index + 1);
  }
  const filled = days.map((day) => known.get(day)!).filter(({ lines }) => lines !== '');
  if (filled.length === 0) return { kind: 'month', csv: null, lastDay: null };
  const csv = heading + filled.map(({ lines }) => lines).join('');
  return { kind: 'month', csv, lastDay: filled.at(-1)!.day };
}

const unreadable = {
  kind: 'unreachable',
  message: 'GitHub answered something other than lines of a bill',
} as const;

/** Null if the answer is none. Sorted, so that the same lines are the same report. */
function linesOf(answer: unknown, day: Day): string | null {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) return null;
  const { usageItems: items = [] } = answer as { usageItems?: unknown };
  if (!Array.isArray(items) || !items.every((item) => typeof item === 'object' && item !== null)) return null;
  return (items as Record<string, unknown>[])
    .filter((item) => (readDay(textOf(item['date']), 'mdy') ?? day) === day)
    .map((item) => csvLine(columns.map(([, field]) => textOf(item[field]))))
    .toSorted()
    .join('');
}

/** The shortest decimal of a number is the one that GitHub wrote. */
function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? oneLine(String(value)) : '';
}
