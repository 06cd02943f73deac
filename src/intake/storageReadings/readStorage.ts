import type { RepositoryStorage } from '../../ledger/storage/storage.ts';
import type { Artifact, Cache } from '../../ledger/storage/sumUp.ts';
import { startOfDay, dayOf, monthAround } from '../../platform/lib/days.ts';
import { obstacleOf, type Obstacle, unreadable } from '../backfills/backfill.ts';
import type { GitHubClient } from '../backfills/gitHubClient.ts';
import { readPage, type Item } from '../backfills/readRun.ts';

type Asked = {
  client: Pick<GitHubClient, 'get'>;
  repository: string;
  now: Date;
  signal: AbortSignal;
  /** Of artifacts; caches have a tenth. */
  maxPages?: number;
};

type Reading = { read: RepositoryStorage } | { obstacle: Obstacle };
type List = { items: Item[]; unlisted: number } | { obstacle: Obstacle };

const perPage = 100;
const usualPages = 100;
const maxCachePages = 10;
/** GitHub keeps no artifact for longer, so that older ones have expired. */
const maxRetentionDays = 400;
const day = 86_400_000;

/** Artifacts newest first, then caches largest first. The obstacle can be that GitHub refuses the artifacts. */
export async function readStorage({ maxPages = usualPages, ...asked }: Asked): Promise<Reading> {
  const { client, repository, now, signal } = asked;
  const oldest = now.getTime() - maxRetentionDays * day;
  const artifacts = await readList(asked, {
    path: '/actions/artifacts',
    field: 'artifacts',
    query: {},
    maxPages,
    isEnough: (items) => Number(timeOf(items.at(-1)!['created_at'])) < oldest,
  });
  if ('obstacle' in artifacts) return artifacts;
  const caches = await readList(asked, {
    path: '/actions/caches',
    field: 'actions_caches',
    query: { sort: 'size_in_bytes', direction: 'desc' },
    maxPages: Math.min(maxPages, maxCachePages),
    isEnough: () => false,
  });
  const isRefused = 'obstacle' in caches && caches.obstacle.kind === 'refused';
  if ('obstacle' in caches && !isRefused) return caches;
  const answer = isRefused ? null : await client.get(repository, '/actions/cache/usage', { signal });
  if (answer && answer.kind !== 'data' && answer.kind !== 'refused') return { obstacle: obstacleOf(answer) };
  const monthStart = startOfDay(monthAround(dayOf(now)).start);
  const { unlisted } = artifacts;
  const problems = [
    ...(unlisted > 0
      ? [
          `Only the newest ${artifacts.items.length} artifacts of ${repository} were read: ${unlisted} older ones are missing here.`,
        ]
      : []),
    ...('unlisted' in caches && caches.unlisted > 0
      ? [
          `Only the largest ${caches.items.length} caches of ${repository} were read: ${caches.unlisted} smaller ones have no row here.`,
        ]
      : []),
    ...(isRefused ? [`The caches of ${repository} could not be read. ${messageOf(caches.obstacle)}`] : []),
  ];
  return {
    read: {
      repository,
      readAt: now,
      artifacts: artifacts.items.flatMap((item) => artifactIn(item, { monthStart, now })),
      unlisted,
      caches: 'items' in caches ? caches.items.flatMap(cacheIn) : [],
      usage: usageIn(answer?.kind === 'data' ? answer.data : {}),
      problems,
    },
  };
}

type Listed = {
  path: string;
  field: 'artifacts' | 'actions_caches';
  query: Record<string, string>;
  maxPages: number;
  isEnough: (items: readonly Item[]) => boolean;
};

async function readList(
  { client, repository, signal }: Asked,
  { path, field, query, maxPages, isEnough }: Listed,
): Promise<List> {
  const items: Item[] = [];
  for (let page = 1; ; page++) {
    const answer = await client.get(repository, path, {
      query: { ...query, per_page: perPage, page },
      signal,
    });
    if (answer.kind !== 'data') return { obstacle: obstacleOf(answer) };
    const read = readPage(answer.data, field);
    if (!read) return { obstacle: unreadable };
    items.push(...read.items);
    const isLast = read.items.length === 0 || page * perPage >= read.total;
    if (isLast || isEnough(read.items)) return { items, unlisted: 0 };
    if (page === maxPages) return { items, unlisted: read.total - items.length };
  }
}

function messageOf(obstacle: Obstacle): string {
  return obstacle.kind === 'refused' ? obstacle.message : '';
}

/** Artifacts that expired before this month, or that were deleted, cost nothing any more. */
function artifactIn(
  { name, size_in_bytes: size, expired, created_at: created, expires_at: expires, workflow_run: run }: Item,
  { monthStart, now }: { monthStart: Date; now: Date },
): Artifact[] {
  const [createdAt, expiresAt] = [timeOf(created), timeOf(expires)];
  const bytes = bytesIn(size);
  if (typeof name !== 'string' || bytes === null || !createdAt) return [];
  if (expiresAt && expiresAt <= monthStart) return [];
  if (expired === true && (!expiresAt || expiresAt > now)) return [];
  const { id } = (run ?? {}) as { id?: unknown };
  return [{ name, bytes, createdAt, expiresAt, runId: Number.isSafeInteger(id) ? String(id) : null }];
}

function cacheIn({
  key,
  ref,
  size_in_bytes: size,
  created_at: created,
  last_accessed_at: used,
}: Item): Cache[] {
  const [createdAt, usedAt] = [timeOf(created), timeOf(used)];
  const bytes = bytesIn(size);
  if (typeof key !== 'string' || typeof ref !== 'string' || bytes === null || !createdAt) return [];
  return [{ key, ref, bytes, createdAt, usedAt: usedAt ?? createdAt }];
}

function usageIn(data: unknown): RepositoryStorage['usage'] {
  const { active_caches_count: count, active_caches_size_in_bytes: size } = (data ?? {}) as Item;
  return { caches: Number.isSafeInteger(count) ? Number(count) : 0, bytes: bytesIn(size) ?? 0n };
}

function bytesIn(size: unknown): bigint | null {
  return Number.isSafeInteger(size) && Number(size) >= 0 ? BigInt(size as number) : null;
}

function timeOf(text: unknown): Date | null {
  const time = typeof text === 'string' ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? null : new Date(time);
}
