import { LRUCache } from 'lru-cache';

/** GitHub's answers by ETag: requests that it answers with 304 do not count toward its limit. */
export type AnswerCache = LRUCache<string, Kept>;

type Kept = { etag: string | null; value: unknown };

export function createAnswerCache(): AnswerCache {
  return new LRUCache({
    maxSize: 16 * 1024 * 1024,
    sizeCalculation: (kept, key) => 2 * (key.length + JSON.stringify(kept).length),
  });
}
