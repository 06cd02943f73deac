export type Coalescer<T> = (key: string, read: () => Promise<T>) => Promise<T>;

/** Callers that arrive during a read wait for the next one, so no result is older than its request. */
export function createCoalescer<T>(): Coalescer<T> {
  type Slot = { current: Promise<T>; next: Promise<T> | null };
  const slots = new Map<string, Slot>();

  function start(key: string, read: () => Promise<T>): Promise<T> {
    const slot: Slot = { current: read(), next: null };
    slots.set(key, slot);
    const removeSlot = (): void => {
      if (!slot.next) slots.delete(key);
    };
    slot.current.then(removeSlot, removeSlot);
    return slot.current;
  }

  return (key, read) => {
    const slot = slots.get(key);
    if (!slot) return start(key, read);
    const startNext = (): Promise<T> => start(key, read);
    return (slot.next ??= slot.current.then(startNext, startNext));
  };
}

/** Like shared reads, but one read fetches the keys of all waiting callers: few of them ask for the same key. */
export function createCombinedReads<T>(
  find: (keys: string[]) => Promise<ReadonlyMap<string, T>>,
): (key: string) => Promise<T | undefined> {
  const coalesce = createCoalescer<ReadonlyMap<string, T>>();
  let waiting = new Set<string>();
  const findWaiting = (): Promise<ReadonlyMap<string, T>> => {
    const keys = [...waiting];
    waiting = new Set();
    return find(keys);
  };
  return async (key) => {
    waiting.add(key);
    return (await coalesce('', findWaiting)).get(key);
  };
}
