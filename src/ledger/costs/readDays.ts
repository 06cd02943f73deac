import { inSnapshot, type Database, type Transaction } from '../../platform/db/database.ts';
import { slicesOf, type Day, type Window } from '../../platform/lib/days.ts';
import {
  columnNames,
  findCurrentColumns,
  findDayVersions,
  findFacts,
  saveColumns,
  type ColumnName,
  type DayVersion,
  type Facts,
} from './dayColumns.queries.ts';
import { createColumnBuilder, decodeColumn, encodeColumn, type Column } from './dayColumns.ts';

/** `rows` is how many jobs or runs the day has. */
export type DayFacts = { day: Day; rows: number; column: (name: ColumnName) => Column };

/** Rows of facts read at a time, so that a day of a very large organization is not in memory as rows. */
const maxRowsRead = 100_000;

const daysSavedAtOnce = 31;

type Asked = { facts: Facts; names: readonly ColumnName[]; windows: readonly Window[] };

/**
 * The facts of the days of each window, by column, oldest first, all from one snapshot of the database. Makes and keeps
 * the columns of days that have changed since somebody asked for them.
 */
export async function readDays(db: Database, orgId: string, asked: Asked): Promise<DayFacts[][]> {
  const made: MadeDay[] = [];
  const windows = await inSnapshot(db, async (tx) => {
    made.length = 0;
    const days: DayFacts[][] = [];
    for (const window of asked.windows) days.push(await readWindow(tx, orgId, { ...asked, window }, made));
    return days;
  });
  for (let first = 0; first < made.length; first += daysSavedAtOnce) {
    const encoded = made.slice(first, first + daysSavedAtOnce).flatMap(encodeDay);
    await saveColumns(db, orgId, asked.facts, await Promise.all(encoded));
  }
  return windows;
}

function encodeDay({ version, day, columns }: MadeDay) {
  return [...columns].map(async ([name, column]) => ({
    day,
    name,
    version,
    data: await encodeColumn(column),
  }));
}

type MadeDay = { day: Day; version: string; columns: Map<string, Column> };

async function readWindow(
  tx: Transaction,
  orgId: string,
  { facts, names, window }: Omit<Asked, 'windows'> & { window: Window },
  made: MadeDay[],
): Promise<DayFacts[]> {
  const versions = (await findDayVersions(tx, orgId, window)).filter((day) => day[facts] > 0n);
  const stored = await findCurrentColumns(tx, orgId, { facts, names, window });
  const storedOf = Map.groupBy(stored, ({ day }) => day);
  const isCurrent = ({ day }: DayVersion) => storedOf.get(day)?.length === names.length;
  const madeNow = new Map<Day, MadeDay>();
  for (const days of changedStretches(versions, isCurrent)) {
    for (const day of await makeDays(tx, orgId, facts, days)) madeNow.set(day.day, day);
  }
  made.push(...madeNow.values());
  return versions.map(({ day, ...counts }) => {
    const own = madeNow.get(day)?.columns;
    const data = new Map(storedOf.get(day)?.map((column) => [column.name, column.data]));
    return {
      day,
      rows: Number(counts[facts]),
      column: (name) => own?.get(name) ?? decodeColumn(data.get(name)!),
    };
  });
}

/** Days without a current one between them: one query can read several. */
function changedStretches(
  days: readonly DayVersion[],
  isCurrent: (day: DayVersion) => boolean,
): DayVersion[][] {
  const stretches: DayVersion[][] = [[]];
  for (const day of days) {
    if (isCurrent(day)) stretches.push([]);
    else stretches.at(-1)!.push(day);
  }
  return stretches;
}

async function makeDays(
  tx: Transaction,
  orgId: string,
  facts: Facts,
  days: readonly DayVersion[],
): Promise<MadeDay[]> {
  const names = columnNames[facts];
  const builders = new Map(days.map(({ day }) => [day, names.map(createColumnBuilder)]));
  const counted = days.map((day) => ({ day: day.day, jobs: Number(day[facts]) }));
  for (const slice of slicesOf(counted, maxRowsRead)) {
    for (const row of await findFacts(tx, orgId, facts, slice)) {
      builders.get(row.day)?.forEach((builder, index) => builder.add(row[names[index]!]!));
    }
  }
  return days.map(({ day, version }) => {
    const columns = builders.get(day)!.map((builder, index) => [names[index]!, builder.build()] as const);
    return { day, version, columns: new Map(columns) };
  });
}
