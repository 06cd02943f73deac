import { sumOf } from '../../platform/lib/lists.ts';
import { byteHours, byteMilliseconds, type Span } from './byteHours.ts';
import type { StorageItemsTable } from './tables.ts';

/** As GitHub lists it. `expiresAt` is null if it never expires. */
export type Artifact = {
  runId: string | null;
  name: string;
  bytes: bigint;
  createdAt: Date;
  expiresAt: Date | null;
};

export type Cache = { key: string; ref: string; bytes: bigint; createdAt: Date; usedAt: Date };

export type StorageItem = Omit<StorageItemsTable, 'orgId' | 'repository'>;

const day = 86_400_000;
/** What `retention-days` of the suggested fix says. */
export const shortRetentionDays = 7;
const maxItems = 500;
/** The name of all that has too many names. */
const otherNames = '*';

/** Artifacts that are live, or expired within the span. It ends now. */
export function sumUpArtifacts(
  artifacts: readonly Artifact[],
  workflowOf: (runId: string) => string | undefined,
  span: Span,
): StorageItem[] {
  const now = span.until.getTime();
  const newestFirst = artifacts.toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime());
  const groups = Map.groupBy(newestFirst, ({ runId, name }) =>
    JSON.stringify([(runId === null ? undefined : workflowOf(runId)) ?? '', patternOf(name)]),
  );
  const items = [...groups].map(([key, all]): StorageItem => {
    const [workflowId, name] = JSON.parse(key) as [string, string];
    const live = all.filter(({ expiresAt }) => expiresAt === null || expiresAt.getTime() > now);
    const stale = live.filter(({ createdAt }) => createdAt.getTime() < now - shortRetentionDays * day);
    const expiring = live.filter(({ expiresAt }) => expiresAt && expiresAt.getTime() <= now + 7 * day);
    const ends = live.flatMap(({ expiresAt }) => (expiresAt ? [expiresAt.getTime()] : []));
    const hours = all.map(({ expiresAt: end, ...artifact }) => byteMilliseconds({ ...artifact, end }, span));
    return {
      ...madeOf('artifact', { name, workflowId, ref: '' }, live, stale, now),
      byteHours: byteHours(sum(hours)),
      retentionDays: live[0] ? retentionOf(live[0]) : null,
      firstExpiresAt: ends.length > 0 ? new Date(ends.reduce((a, b) => Math.min(a, b))) : null,
      lastExpiresAt: ends.length > 0 ? new Date(ends.reduce((a, b) => Math.max(a, b))) : null,
      expiringBytes: bytesOf(expiring),
    };
  });
  return limited(items);
}

/** GitHub says no workflow of a cache. Caches of pull requests are one ref, because each only helps its own. */
export function sumUpCaches(caches: readonly Cache[], span: Span): StorageItem[] {
  const groups = Map.groupBy(caches, ({ key, ref }) => JSON.stringify([patternOf(key), refOf(ref)]));
  const items = [...groups].map(([key, all]): StorageItem => {
    const [name, ref] = JSON.parse(key) as [string, string];
    const unused = all.filter(({ usedAt, createdAt }) => usedAt <= createdAt);
    return {
      ...madeOf('cache', { name, workflowId: '', ref }, all, unused, span.until.getTime()),
      byteHours: byteHours(sum(all.map((cache) => byteMilliseconds({ ...cache, end: null }, span)))),
      retentionDays: null,
      firstExpiresAt: null,
      lastExpiresAt: null,
      expiringBytes: 0n,
    };
  });
  return limited(items);
}

type Made = { bytes: bigint; createdAt: Date };
type Key = Pick<StorageItem, 'name' | 'workflowId' | 'ref'>;

function madeOf(
  kind: StorageItem['kind'],
  key: Key,
  all: readonly Made[],
  stale: readonly Made[],
  now: number,
) {
  return {
    kind,
    ...key,
    items: all.length,
    bytes: bytesOf(all),
    staleItems: stale.length,
    staleBytes: bytesOf(stale),
    weekItems: all.filter(({ createdAt }) => createdAt.getTime() >= now - 7 * day).length,
  };
}

function retentionOf({ createdAt, expiresAt }: Artifact): number | null {
  return expiresAt && Math.round((expiresAt.getTime() - createdAt.getTime()) / day);
}

/** Dates, hashes and numbers change with each run, so that names with them would never be the same. */
export function patternOf(name: string): string {
  return name
    .replaceAll(/\d{4}-\d{2}-\d{2}/g, otherNames)
    .replaceAll(/(?<![a-z\d])(?=[a-f]*\d)[a-f\d]{7,}(?![a-z\d])/gi, otherNames)
    .replaceAll(/\d{3,}/g, otherNames);
}

export const pullRequestRef = 'refs/pull/*';

function refOf(ref: string): string {
  return ref.startsWith('refs/pull/') ? pullRequestRef : ref;
}

/** The largest, and a row of each workflow for all others, which artifacts can be named like. */
function limited(items: readonly StorageItem[]): StorageItem[] {
  const largestFirst = items.toSorted((a, b) => Number(b.bytes - a.bytes));
  const rest = new Map<string, StorageItem>();
  const isOther = (item: StorageItem, index: number) =>
    index >= maxItems || (item.name === otherNames && item.ref === '');
  for (const item of largestFirst.filter(isOther)) {
    const other = { ...item, name: otherNames, ref: '' };
    const known = rest.get(item.workflowId);
    rest.set(item.workflowId, known ? together(known, other) : other);
  }
  return [...largestFirst.filter((item, index) => !isOther(item, index)), ...rest.values()];
}

function together(a: StorageItem, b: StorageItem): StorageItem {
  const ends = (...dates: (Date | null)[]) => dates.filter((date) => date !== null).toSorted(byTime);
  return {
    ...a,
    items: a.items + b.items,
    bytes: a.bytes + b.bytes,
    staleItems: a.staleItems + b.staleItems,
    staleBytes: a.staleBytes + b.staleBytes,
    weekItems: a.weekItems + b.weekItems,
    byteHours: a.byteHours + b.byteHours,
    expiringBytes: a.expiringBytes + b.expiringBytes,
    retentionDays: a.retentionDays === b.retentionDays ? a.retentionDays : null,
    firstExpiresAt: ends(a.firstExpiresAt, b.firstExpiresAt)[0] ?? null,
    lastExpiresAt: ends(a.lastExpiresAt, b.lastExpiresAt).at(-1) ?? null,
  };
}

const byTime = (a: Date, b: Date) => a.getTime() - b.getTime();

const bytesOf = (all: readonly Made[]): bigint => sumOf(all, 'bytes');

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, each) => total + each, 0n);
}
