import type { Context } from '../../context.ts';
import { inSnapshot, type Transaction } from '../../platform/db/database.ts';
import { dayOf, type Window } from '../../platform/lib/days.ts';
import { getOrCreate } from '../../platform/lib/lists.ts';
import { getIncludedMinutes, type IncludedMinutes } from '../pricing/includedMinutes.ts';
import { chargeOf, countsSeconds, includesTime, type TimeUsed } from '../pricing/netCost.ts';
import type { Providers } from '../pricing/provider.ts';
import { listTerms } from '../pricing/terms.ts';
import type { ColumnName } from './columns/dayColumns.queries.ts';
import { makeColumns, readDays, type ColumnContext, type DayRows } from './columns/readDays.ts';

export const timeColumns = [
  'provider',
  'runner',
  'isPrivate',
  'minutes',
  'durationMilliseconds',
] as const satisfies ColumnName[];

type Days = Pick<Window, 'start' | 'end'>;

/** Makes the columns that `readTimeUsed` reads if the organization's terms need them. */
export async function prepareTime(
  keeper: Parameters<typeof makeColumns>[0] & { providers: Providers },
  orgId: string,
  days: readonly Days[],
): Promise<void> {
  const terms = await listTerms({ db: keeper.db, actor: { orgId } });
  if (!includesTime(terms, keeper.providers)) return;
  const months = days.map(({ start, end }) => ({ start: `${start.slice(0, 7)}-01`, end }));
  await makeColumns(keeper, orgId, 'jobs', months);
}

/** Of the jobs of single days, because rollups know no seconds. */
export async function readTimeUsed(
  tx: Transaction,
  { orgId, providers }: { orgId: string; providers: Providers },
  { start, end }: Days,
): Promise<TimeUsed[]> {
  const days = await readDays(tx, orgId, { rowKind: 'jobs', names: timeColumns, window: { start, end } });
  return days.flatMap((day) => [...timeOf(day, providers, () => 0)].map(({ cell: _, ...time }) => time));
}

/** Of this month so far. */
export async function readIncludedMinutes(
  ctx: ColumnContext & Pick<Context, 'clock' | 'providers'>,
  provider: string,
): Promise<IncludedMinutes> {
  const { providers, clock } = ctx;
  const { orgId } = ctx.actor;
  const today = dayOf(clock.now());
  await prepareTime(ctx, orgId, [{ start: today, end: today }]);
  return inSnapshot(ctx.db, (tx) =>
    getIncludedMinutes({ ...ctx, db: tx }, provider, (days) => readTimeUsed(tx, { orgId, providers }, days)),
  );
}

type CellTime = TimeUsed & { cell: number };

/** Adds up the time of alike rows of each cell. Rows without a cell have a negative number. */
export function timeOf(
  day: DayRows,
  providers: Providers,
  cellOf: (row: number) => number,
): Iterable<CellTime> {
  const [provider, runner, visibility, minutes, duration] = timeColumns.map((name) => day.column(name));
  const sums = new Map<string, CellTime>();
  const ofKind = new Map<string, string | null>();
  for (let row = 0; row < day.rows; row++) {
    const cell = cellOf(row);
    const valueOf = ({ values, codes }: typeof provider & {}) => values[codes[row]!] ?? null;
    const [runnerKind, rowProvider] = [valueOf(runner!), valueOf(provider!)!];
    if (cell < 0 || runnerKind === null) continue;
    const charging = getOrCreate(ofKind, `${rowProvider} ${runnerKind}`, () =>
      chargedBySecond({ provider: rowProvider, runnerKind }, providers),
    );
    if (charging === null) continue;
    const isPublic = valueOf(visibility!) === 'public';
    const sum = getOrCreate(sums, `${cell} ${isPublic} ${runnerKind}`, () => ({
      cell,
      day: day.day,
      provider: charging,
      runnerKind,
      isPublic,
      minutes: 0n,
      seconds: 0n,
    }));
    const billed = Number(valueOf(minutes!));
    const count = day.count ? Number(day.count.values[day.count.codes[row]!]) : 1;
    sum.minutes += BigInt(billed);
    sum.seconds += BigInt(secondsOf(Number(valueOf(duration!) ?? 0), billed / count) * count);
  }
  return sums.values();
}

/** As it is billed: each job's seconds rounded up, and no more than its billed minutes, which a time limit bounds. */
function secondsOf(milliseconds: number, billedMinutes: number): number {
  return Math.min(Math.ceil(Math.max(0, milliseconds) / 1_000), billedMinutes * 60);
}

function chargedBySecond(job: { provider: string; runnerKind: string }, providers: Providers): string | null {
  const charge = chargeOf({ ...job, isFree: false }, providers);
  return charge?.class === 'included' && countsSeconds(charge.provider, providers) ? charge.provider : null;
}
