import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';

/** Short requests that are being answered. The process has one list, because one thread serves them all. */
const inFlight = new Set<{ since: number }>();

const maxTurnMilliseconds = 4;
/** Waits of one millisecond. */
const maxWaits = 25;
/** A request that takes longer is waiting for something else, such as the reader of a download. */
const shortMilliseconds = 250;

/** So that long loops yield to it. Call the returned function when it ends. */
export function enterShort(): () => void {
  const request = { since: performance.now() };
  inFlight.add(request);
  return () => inFlight.delete(request);
}

/** Waits for short requests now and then, never for long: a steady stream does not stop the loop. */
export async function* inTurns<Item>(items: Iterable<Item>): AsyncGenerator<Item> {
  let since = performance.now();
  for (const item of items) {
    if (performance.now() - since > maxTurnMilliseconds) {
      await othersPass();
      since = performance.now();
    }
    yield item;
  }
}

/** Lets the event loop answer requests between two chunks of a long computation. */
export function yieldToRequests(): Promise<void> {
  return nextTurn();
}

export async function othersPass(): Promise<void> {
  await nextTurn();
  for (let waits = 0; waits < maxWaits && areShortInFlight(); waits++) await sleep(1);
}

function areShortInFlight(): boolean {
  const now = performance.now();
  for (const { since } of inFlight) if (now - since < shortMilliseconds) return true;
  return false;
}
