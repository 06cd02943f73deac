import { LRUCache } from 'lru-cache';

/** GitHub's answers by ETag: requests that it answers with 304 do not count toward its limit. */
export type AnswerCache = LRUCache<string, CachedAnswer>;

type CachedAnswer = { etag: string | null; value: unknown };

export function createAnswerCache(): AnswerCache {
  return new LRUCache({
    maxSize: 16 * 1024 * 1024,
    sizeCalculation: (cached, key) => 2 * (key.length + JSON.stringify(cached).length),
  });
}
