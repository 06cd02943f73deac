import type { Context } from '../../context.ts';
import {
  addDays,
  type Day,
  dayOf,
  minRetentionDays,
  monthAround,
  startOfDay,
} from '../../platform/lib/days.ts';
import { larger, sumOf } from '../../platform/lib/lists.ts';
import { runIdOf } from '../runs/history.ts';
import { byteHours, byteMillisecondsAbove, includedCacheBytes } from './byteHours.ts';
import {
  findDays,
  findItems,
  findRepositories,
  findWorkflowsOfRuns,
  removeBefore,
  replaceItems,
  saveDay,
  type NamedItem,
  type StorageDay,
} from './queries.ts';
import { sumUpArtifacts, sumUpCaches, type Artifact, type Cache } from './sumUp.ts';
import type { StorageRepositoriesTable } from './tables.ts';

/** What GitHub answered about a repository. `usage` counts all caches, also those that it did not list. */
export type RepositoryStorage = {
  repository: string;
  readAt: Date;
  artifacts: readonly Artifact[];
  unlisted: number;
  caches: readonly Cache[];
  usage: { caches: number; bytes: bigint };
  problems: string[];
};

/** Nothing older is shown. */
const keptDays = minRetentionDays;

/** Replaces the earlier reading of the repository. */
export async function recordStorage(
  { db }: Pick<Context, 'db'>,
  orgId: string,
  { repository, readAt, artifacts, caches, usage, ...read }: RepositoryStorage,
): Promise<void> {
  const idOf = (runId: string) => runIdOf({ provider: 'github', runId });
  const runIds = artifacts.flatMap(({ runId }) => (runId === null ? [] : [idOf(runId)]));
  const workflows = await findWorkflowsOfRuns(db, orgId, [...new Set(runIds)]);
  const today = dayOf(readAt);
  const span = { from: startOfDay(monthAround(today).start), until: readAt };
  const ofArtifacts = sumUpArtifacts(artifacts, (runId) => workflows.get(idOf(runId)), span);
  const items = [...ofArtifacts, ...sumUpCaches(caches, span)];
  const cacheBytes = larger(sumOf(caches, 'bytes'), usage.bytes);
  const row = {
    orgId,
    repository,
    readAt,
    ...read,
    unknownArtifacts: ofArtifacts.reduce((sum, { workflowId, items: n }) => sum + (workflowId ? 0 : n), 0),
    caches: Math.max(usage.caches, caches.length),
    cacheBytes,
    cacheByteHours: byteHours(byteMillisecondsAbove(includedCacheBytes, caches, span)),
  };
  await db.transaction().execute(async (tx) => {
    await replaceItems(tx, row, items);
    await removeBefore(tx, orgId, addDays(today, -keptDays));
    await saveDay(tx, {
      orgId,
      day: today,
      repository,
      artifactBytes: sumOf(ofArtifacts, 'bytes'),
      cacheBytes,
    });
  });
}

export type StoredItems = {
  repositories: StorageRepositoriesTable[];
  items: NamedItem[];
  days: { day: Day; artifactBytes: bigint; cacheBytes: bigint }[];
};

/** A reading that is older says too little about today. */
const maxAgeDays = 7;
const shownDays = 30;

/** The newest readings; a name without an owner matches every owner's repository. */
export async function findStorage(
  { db, clock, actor: { orgId } }: Pick<Context, 'db' | 'clock' | 'actor'>,
  { repo, workflowId }: { repo?: string | undefined; workflowId?: string | undefined } = {},
): Promise<StoredItems> {
  const now = clock.now();
  const readSince = new Date(now.getTime() - maxAgeDays * 86_400_000);
  const wanted = repo?.toLowerCase();
  const found = await findRepositories(db, orgId, { readSince });
  const repositories = found.filter(({ repository }) => {
    const name = repository.toLowerCase();
    return wanted === undefined || name === wanted || name.split('/').at(-1) === wanted;
  });
  const names = repositories.map(({ repository }) => repository);
  const items = await findItems(db, orgId, { repositories: names, workflowId });
  const since = addDays(dayOf(now), 1 - shownDays);
  const days = await findDays(db, orgId, { since, repositories: names });
  return { ...ofThisMonth({ repositories, items }, now), days: totalsByDay(days) };
}

/** A reading of last month says nothing about the hours of this one. */
function ofThisMonth({ repositories, items }: Omit<StoredItems, 'days'>, now: Date) {
  const start = startOfDay(monthAround(dayOf(now)).start);
  const old = new Set(
    repositories.filter(({ readAt }) => readAt < start).map(({ repository }) => repository),
  );
  return {
    repositories: repositories.map((row) => (old.has(row.repository) ? { ...row, cacheByteHours: 0n } : row)),
    items: items.map((item) => (old.has(item.repository) ? { ...item, byteHours: 0n } : item)),
  };
}

/** On days without a reading of a repository, it counts as it was before. */
function totalsByDay(rows: readonly StorageDay[]): StoredItems['days'] {
  const latest = new Map<string, StorageDay>();
  return [...Map.groupBy(rows, ({ day }) => day)].map(([day, ofDay]) => {
    for (const row of ofDay) latest.set(row.repository, row);
    const held = [...latest.values()];
    return { day, artifactBytes: sumOf(held, 'artifactBytes'), cacheBytes: sumOf(held, 'cacheBytes') };
  });
}
