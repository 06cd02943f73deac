/**
 * What GitHub answered before, so that an unchanged answer is not sent again: GitHub counts no request that it answers
 * with 304. It's in memory: after a restart, everything is asked once more.
 */
export type AnswerCache = {
  get: (key: string) => Kept | undefined;
  put: (key: string, kept: Kept) => void;
};

type Kept = { etag: string | null; value: unknown };

const maxBytes = 16 * 1024 * 1024;

export function createAnswerCache(limit = maxBytes): AnswerCache {
  const entries = new Map<string, { kept: Kept; bytes: number }>();
  let total = 0;
  const drop = (key: string) => {
    total -= entries.get(key)?.bytes ?? 0;
    entries.delete(key);
  };
  return {
    get: (key) => {
      const entry = entries.get(key);
      if (!entry) return undefined;
      // The last used one is the last to go.
      entries.delete(key);
      entries.set(key, entry);
      return entry.kept;
    },
    put: (key, kept) => {
      drop(key);
      const bytes = 2 * (key.length + JSON.stringify(kept).length);
      if (bytes > limit) return;
      entries.set(key, { kept, bytes });
      total += bytes;
      for (const [oldest] of entries) {
        if (total <= limit) break;
        drop(oldest);
      }
    },
  };
}
