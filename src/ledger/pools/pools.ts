import type { Context } from '../../context.ts';
import type { Database, Transaction } from '../../platform/db/database.ts';
import type { Day, Window } from '../../platform/lib/days.ts';
import { invalid, nameTaken, notFound, requireLength, within } from '../../platform/lib/errors.ts';
import { randomId } from '../../platform/lib/ids.ts';
import { formatNanos, toNanos, usd, usdOrNull, type Nanos } from '../../platform/lib/money.ts';
import { faultOfName, isBlank, looksOf } from '../../platform/lib/text.ts';
import { differences, recordAudit } from '../../tenancy/audit/audit.ts';
import { lockCosts, requireRoom } from '../../tenancy/organizations/organizations.ts';
import { readPattern } from '../pricing/linearPattern.ts';
import { costOn, type Period, type PoolDay } from './poolCost.ts';
import { findPoolDays, findPools, poolRows, sumPoolDays, type Imported, type PoolRow } from './queries.ts';
import type { StoredPeriod } from './tables.ts';

/** `imported` is null if no amount was imported. */
export type Pool = Omit<PoolRow, 'periods' | 'orgId'> & { periods: Period[]; imported: Imported | null };

type PeriodInput = {
  first_day: Day;
  last_day?: Day | null;
  machines?: number | null;
  monthly_usd?: number | null;
  usd_per_hour?: number | null;
};

export type PoolInput = {
  name: string;
  match: PoolRow['match'];
  pattern: string;
  resource_ids?: string[];
  periods?: PeriodInput[];
};

const maxPools = 200;
export const maxPeriods = 100;
export const maxMonthlyUsd = 100_000_000;
export const maxUsdPerHour = 100_000;

/** A job belongs to the first pool that matches it. */
export async function listPools(db: Database, orgId: string): Promise<Pool[]> {
  const imported = new Map((await sumPoolDays(db, orgId)).map((sums) => [sums.poolId, sums]));
  return (await findPools(db, orgId)).map((row) => poolOf(row, imported.get(row.id) ?? null));
}

export type PoolCosts = Pick<Pool, 'name' | 'match' | 'pattern'> & { costOn: (day: Day) => PoolDay };

/** What each pool cost on these days. */
export async function readPoolCosts(
  db: Database,
  orgId: string,
  days: Pick<Window, 'start' | 'end'>,
): Promise<PoolCosts[]> {
  const ofPools = Map.groupBy(await findPoolDays(db, orgId, days), ({ poolId }) => poolId);
  return (await findPools(db, orgId)).map((row) => {
    const { name, match, pattern, periods } = poolOf(row, null);
    const imported = new Map(ofPools.get(row.id)?.map(({ day, costNanos }) => [day, costNanos]));
    return { name, match, pattern, costOn: (day) => costOn({ periods, imported }, day) };
  });
}

export async function createPool(ctx: Context, input: PoolInput): Promise<Pool> {
  const { db, actor, clock } = ctx;
  const { orgId } = actor;
  const content = readPool(input);
  const now = clock.now();
  return db.transaction().execute(async (tx) => {
    await lockCosts(tx, orgId);
    const count = () => poolRows.count(tx, { orgId });
    const advice = 'Delete one first.';
    await requireRoom(tx, orgId, { things: 'runner pools', max: maxPools, count, advice });
    await requireFreeName(tx, orgId, content.name);
    const id = randomId('pool');
    const last = (await findPools(tx, orgId)).at(-1)?.position ?? 0;
    const position = last + 1;
    const times = { createdAt: now, updatedAt: now };
    const row = await poolRows.insert(tx, { ...stored(content), orgId, id, position, ...times });
    await recordAudit(tx, ctx, 'runner_pool.create', id, namedByTheApi(content));
    return poolOf(row, null);
  });
}

/** Changes the given fields. */
export async function updatePool(ctx: Context, id: string, changes: Partial<PoolInput>): Promise<Pool> {
  const { db, actor, clock } = ctx;
  return db.transaction().execute(async (tx) => {
    await lockCosts(tx, actor.orgId);
    const before = await poolIn(tx, actor.orgId, id);
    const content = readPool({ ...namedByTheApi(before), ...changes });
    await requireFreeName(tx, actor.orgId, content.name, id);
    const details = differences(namedByTheApi(before), namedByTheApi(content));
    if (!details) return before;
    const updatedAt = clock.now();
    await poolRows.change(tx, { orgId: actor.orgId, id }, { ...stored(content), updatedAt });
    await recordAudit(tx, ctx, 'runner_pool.update', id, details);
    return { ...before, ...content, updatedAt };
  });
}

/** With its imported amounts. */
export async function deletePool(ctx: Context, id: string): Promise<void> {
  const { db, actor } = ctx;
  await db.transaction().execute(async (tx) => {
    await lockCosts(tx, actor.orgId);
    const pool = await poolIn(tx, actor.orgId, id);
    await poolRows.remove(tx, { orgId: actor.orgId, id });
    await recordAudit(tx, ctx, 'runner_pool.delete', id, namedByTheApi(pool));
  });
}

async function poolIn(tx: Transaction, orgId: string, id: string): Promise<Pool> {
  const pool = (await listPools(tx, orgId)).find((each) => each.id === id);
  if (!pool) throw notFound('runner pool');
  return pool;
}

type Content = Pick<Pool, 'name' | 'match' | 'pattern' | 'resourceIds' | 'periods'>;

function poolOf({ orgId: _, ...row }: PoolRow, imported: Imported | null): Pool {
  const nanosOf = (text: string | null): Nanos | null => (text === null ? null : BigInt(text));
  const periods = (row.periods as StoredPeriod[]).map(({ monthlyNanos, hourlyNanos, ...period }) => ({
    ...period,
    monthlyNanos: nanosOf(monthlyNanos),
    hourlyNanos: nanosOf(hourlyNanos),
  }));
  return { ...row, periods, imported };
}

function stored({ periods, ...content }: Content) {
  const written = periods.map(({ monthlyNanos, hourlyNanos, ...period }): StoredPeriod => ({
    ...period,
    monthlyNanos: monthlyNanos?.toString() ?? null,
    hourlyNanos: hourlyNanos?.toString() ?? null,
  }));
  return { ...content, periods: JSON.stringify(written) };
}

function readPool({ name, match, pattern, resource_ids = [], periods = [] }: PoolInput): Content {
  const fault = faultOfName(name);
  if (fault) throw invalid('name', fault);
  requireLength(name, 100, 'name');
  if (match !== 'regex' && isBlank(pattern)) throw invalid('pattern', 'must not be blank');
  requireLength(pattern, 255, 'pattern');
  const read = match === 'regex' ? readPattern(pattern) : null;
  if (read && 'fault' in read) throw invalid('pattern', read.fault);
  const dated = periods.map((period, index) => within(`periods[${index}]`, () => readPeriod(period)));
  for (const [index, { firstDay }] of dated.entries()) {
    const other = dated.findIndex(
      (each, place) => place !== index && each.firstDay <= firstDay && (each.lastDay ?? firstDay) >= firstDay,
    );
    if (other !== -1)
      throw invalid(
        `periods[${index}].first_day`,
        `is within the period from ${dated[other]!.firstDay}; end that one the day before with last_day`,
      );
  }
  const inOrder = dated.toSorted((a, b) => (a.firstDay < b.firstDay ? -1 : 1));
  return { name, match, pattern, resourceIds: [...new Set(resource_ids)], periods: inOrder };
}

function readPeriod(input: PeriodInput): Period {
  const { first_day: firstDay, last_day: lastDay = null, machines = null } = input;
  const { monthly_usd: monthly = null, usd_per_hour: hourly = null } = input;
  if (lastDay !== null && lastDay < firstDay) throw invalid('last_day', 'must not be before first_day');
  if (monthly !== null && hourly !== null)
    throw invalid('usd_per_hour', 'cannot be combined with monthly_usd');
  if (hourly !== null && machines === null)
    throw invalid('machines', 'is required with usd_per_hour: how many machines have this price');
  if (monthly === null && machines === null)
    throw invalid('monthly_usd', 'is required, or machines: the price of a period, or how many there are');
  return {
    firstDay,
    lastDay,
    machines,
    monthlyNanos: monthly === null ? null : readAmount(monthly, 'monthly_usd'),
    hourlyNanos: hourly === null ? null : readAmount(hourly, 'usd_per_hour'),
  };
}

function readAmount(dollars: number, field: string): Nanos {
  const nanos = toNanos(dollars);
  if (nanos === null) throw invalid(field, 'must have at most nine decimals');
  return nanos;
}

/** Names appear in costs, and name pools in imported files. */
async function requireFreeName(tx: Transaction, orgId: string, name: string, own?: string): Promise<void> {
  const others = (await findPools(tx, orgId)).filter(({ id }) => id !== own);
  if (!others.some((pool) => looksOf(pool.name) === looksOf(name))) return;
  throw nameTaken(
    'runner_pool_name_taken',
    `There is a runner pool “${name}” already. Choose another name.`,
    'belongs to another runner pool',
  );
}

function namedByTheApi({ name, match, pattern, resourceIds, periods }: Content) {
  return { name, match, pattern, resource_ids: resourceIds, periods: periods.map(periodInput) };
}

function periodInput(period: Period) {
  const usdOf = (nanos: Nanos | null) => (nanos === null ? null : Number(formatNanos(nanos)));
  return {
    first_day: period.firstDay,
    last_day: period.lastDay,
    machines: period.machines,
    monthly_usd: usdOf(period.monthlyNanos),
    usd_per_hour: usdOf(period.hourlyNanos),
  };
}

export function poolView({ id, name, match, pattern, resourceIds, periods, imported, ...times }: Pool) {
  return {
    id,
    name,
    match,
    pattern,
    resource_ids: resourceIds,
    periods: periods.map(({ firstDay, lastDay, machines, monthlyNanos, hourlyNanos }) => ({
      first_day: firstDay,
      last_day: lastDay,
      machines,
      monthly_usd: usdOrNull(monthlyNanos),
      usd_per_hour: usdOrNull(hourlyNanos),
    })),
    imported: imported && {
      first_day: imported.firstDay,
      last_day: imported.lastDay,
      days: Number(imported.days),
      cost: usd(imported.costNanos),
    },
    created_at: times.createdAt,
    updated_at: times.updatedAt,
  };
}
