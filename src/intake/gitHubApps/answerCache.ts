import { LRUCache } from 'lru-cache';

/**
 * What GitHub answered before, so that an unchanged answer is not sent again: GitHub counts no request that it answers
 * with 304. It's in memory: after a restart, everything is asked once more.
 */
export type AnswerCache = LRUCache<string, Kept>;

type Kept = { etag: string | null; value: unknown };

export function createAnswerCache(): AnswerCache {
  return new LRUCache({
    maxSize: 16 * 1024 * 1024,
    sizeCalculation: (kept, key) => 2 * (key.length + JSON.stringify(kept).length),
  });
}
