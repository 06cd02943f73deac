import type { DurationQuestion } from '../../ledger/costs/durations.ts';
import { runSorts, type Cursor, type ListQuestion, type ListSort } from '../../ledger/costs/listing.ts';
import type { Plan } from '../../platform/lib/actor.ts';
import { invalid } from '../../platform/lib/errors.ts';
import { derivedId } from '../../platform/lib/ids.ts';
import { isStorable } from '../../platform/lib/text.ts';
import type { Clock } from '../../platform/lib/time.ts';
import {
  dimensions,
  dimensionsOfJobs,
  ofJobsOnly,
  readFilters,
  readGroupBy,
  readOwnersOn,
  readWindow,
  type FilterParameters,
  type OwnershipParameters,
  type WindowParameters,
  type DimensionName,
} from './readQuestion.ts';

type RowKind = DurationQuestion['of'];

export type ListParameters = WindowParameters &
  OwnershipParameters &
  FilterParameters & { sort: ListSort; limit: number; cursor?: string | undefined };

type Caller = { clock: Clock; plan: Plan };

export function readList(rowKind: RowKind, parameters: ListParameters, caller: Caller): ListQuestion {
  const { sort, limit, cursor } = parameters;
  const filters = readFilters(parameters);
  if (rowKind === 'runs') {
    const ofJobs = ofJobsIn(filters);
    if (ofJobs) throw invalid(ofJobs, 'is of jobs, and a run has several; list the jobs');
  }
  const list = {
    filters: filters.map(({ filter }) => filter),
    sort,
    ownersOn: readOwnersOn(parameters, caller.clock),
  };
  return {
    window: readWindow(parameters, caller),
    limit,
    ...list,
    after: cursor === undefined ? null : readCursor(cursor, { rowKind, ...list }),
  };
}

function ofJobsIn(filters: readonly { name: DimensionName }[]): DimensionName | undefined {
  return filters.map(({ name }) => name).find((name) => ofJobsOnly.includes(name));
}

type List = Pick<ListQuestion, 'filters' | 'sort' | 'ownersOn'> & { rowKind: RowKind };

/** Independent of the order of values. Ignores the period, which can change between pages, at midnight. */
function markOfFilters({ filters, ownersOn }: List): string {
  const sorted = filters.map(({ dimension, values }) => [dimension, values.toSorted()]);
  return derivedId('filters', JSON.stringify(sorted), ownersOn === undefined ? 'of_day' : 'today');
}

export function cursorText(list: List, { value, at, key }: Cursor): string {
  const parts = [list.rowKind, list.sort, markOfFilters(list), value, at.getTime(), ...key];
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

function readCursor(text: string, list: List): Cursor {
  const { rowKind, sort } = list;
  const [ofRowKind, ofSort, mark, value, at, ...key] = partsOf(text);
  if ((ofRowKind === 'runs' || ofRowKind === 'jobs') && ofRowKind !== rowKind)
    throw invalid('cursor', `must be of a page of ${rowKind}`);
  if (runSorts.some((each) => each === ofSort) && ofSort !== sort)
    throw invalid('cursor', `must be of a page with the same sort, which is ${ofSort as string}`);
  const isKey = rowKind === 'jobs' ? isKeyOfJob : isKeyOfRun;
  const isWhole = typeof mark === 'string' && isValue(value) && isInstant(at) && isKey(key);
  if (ofRowKind !== rowKind || ofSort !== sort || !isWhole)
    throw invalid('cursor', 'must be the `next_cursor` of the page before');
  if (mark !== markOfFilters(list)) {
    throw invalid(
      'cursor',
      'must be of a page with the same filters and ownership; for other ones, leave it out and begin with the first page',
    );
  }
  return { value, at: new Date(at), key };
}

function partsOf(text: string): unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    return Array.isArray(parts) ? parts : [];
  } catch {
    return [];
  }
}

const year10000 = Date.UTC(10_000);
const maxAttempt = 2 ** 31 - 1;

function isValue(value: unknown): value is number | null {
  return value === null || typeof value === 'number';
}

function isInstant(at: unknown): at is number {
  return Number.isSafeInteger(at) && (at as number) >= 0 && (at as number) < year10000;
}

function isId(id: unknown): id is string {
  return typeof id === 'string' && isStorable(id);
}

function isKeyOfRun(key: unknown[]): key is [string] {
  return key.length === 1 && isId(key[0]);
}

function isKeyOfJob(key: unknown[]): key is [string, number, string] {
  const [runId, attempt, jobId] = key;
  const isAttempt =
    Number.isSafeInteger(attempt) && (attempt as number) >= 0 && (attempt as number) <= maxAttempt;
  return key.length === 3 && isId(runId) && isAttempt && isId(jobId);
}

export type DurationsParameters = WindowParameters &
  OwnershipParameters &
  FilterParameters & { group_by: string } & Pick<DurationQuestion, 'of' | 'sort' | 'limit'>;

export function readDurations(parameters: DurationsParameters, caller: Caller): DurationQuestion {
  const { of, sort, limit } = parameters;
  const groupBy = readGroupBy(parameters.group_by, dimensionsOfJobs);
  const filters = readFilters(parameters);
  const ofJobs = of === 'runs' && ofJobsIn([...groupBy.map((name) => ({ name })), ...filters]);
  if (ofJobs) throw invalid('of', `must not be runs with ${ofJobs}, because a run has several; ask for jobs`);
  return {
    of,
    window: readWindow(parameters, caller),
    ownersOn: readOwnersOn(parameters, caller.clock),
    groupBy: groupBy.map((name) => dimensions[name]),
    filters: filters.map(({ filter }) => filter),
    sort,
    limit,
  };
}
