import { LRUCache } from 'lru-cache';

export type SharedReads<T> = (key: string, read: () => Promise<T>) => Promise<T>;

/**
 * A caller never gets a read that began before its call: callers that come during a read wait together for
 * the next. So no result is stale, and the database runs one such read at a time.
 */
export function createSharedReads<T>(): SharedReads<T> {
  type Slot = { current: Promise<T>; next: Promise<T> | null };
  const slots = new Map<string, Slot>();

  function start(key: string, read: () => Promise<T>): Promise<T> {
    const slot: Slot = { current: read(), next: null };
    slots.set(key, slot);
    const forget = (): void => {
      if (!slot.next) slots.delete(key);
    };
    slot.current.then(forget, forget);
    return slot.current;
  }

  return (key, read) => {
    const slot = slots.get(key);
    if (!slot) return start(key, read);
    const startNext = (): Promise<T> => start(key, read);
    return (slot.next ??= slot.current.then(startNext, startNext));
  };
}

/** How many commits the database has seen; null if only the database knows. */
export type CountCommits = (() => number) | null;

const maxKept = 10_000;

/** Shared reads that ask the database only if something was committed since. */
export function createKeptReads<T>(countCommits: CountCommits): SharedReads<T> {
  const share = createSharedReads<T>();
  if (!countCommits) return share;
  const kept = new LRUCache<string, { commits: number; result: T }>({ max: maxKept });
  return async (key, read) => {
    const commits = countCommits();
    const found = kept.get(key);
    if (found?.commits === commits) return found.result;
    const result = await share(key, read);
    kept.set(key, { commits, result });
    return result;
  };
}
