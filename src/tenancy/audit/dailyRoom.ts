import type { AuditAction } from '../../audited.ts';
import type { Context } from '../../context.ts';
import type { Transaction } from '../../platform/db/database.ts';
import { addDays, dayOf, sliceOfDays, startOfDay } from '../../platform/lib/days.ts';
import { TooManyRequests } from '../../platform/lib/errors.ts';
import { listEntriesOf, type AuditRow } from './audit.ts';

type Daily = {
  actions: readonly AuditAction[];
  countIn: (entry: AuditRow) => number;
  more: number;
  max: number;
  /** What is counted, such as `emails`. */
  things: string;
};

/** Against mail without end. The audit log counts, because nobody can delete its entries. The organization must be locked. */
export async function requireDailyRoom(
  tx: Transaction,
  { actor, clock }: Pick<Context, 'actor' | 'clock'>,
  { actions, countIn, more, max, things }: Daily,
): Promise<void> {
  const now = clock.now();
  const today = dayOf(now);
  const entries = await listEntriesOf({ db: tx, actor }, { actions, slice: sliceOfDays(today, today) });
  const count = entries.reduce((sum, entry) => sum + countIn(entry), 0);
  if (count + more <= max) return;
  const tomorrow = addDays(today, 1);
  const message =
    `This organization can send ${max} ${things} a day, and has sent ${count} of today. ` +
    `It can send more from ${tomorrow} 00:00 UTC.`;
  throw new TooManyRequests(message, Math.ceil((startOfDay(tomorrow).getTime() - now.getTime()) / 1_000));
}
