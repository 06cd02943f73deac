/** Shares the work of `read` among those who ask with the same key. */
export type SharedReads<T> = (key: string, read: () => Promise<T>) => Promise<T>;

/**
 * Lets callers who ask the same thing at the same time share one read. A caller never gets the answer of a read that
 * began before it asked: while one is under way, those who come wait together for the next. So nothing is ever stale,
 * and however many ask, the database has one such read at a time.
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
