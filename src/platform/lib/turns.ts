import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';

/** The short requests that are being answered. One thread serves them all, so the process has one list. */
const inFlight = new Set<{ since: number }>();

const maxTurnMilliseconds = 4;
/** Of a millisecond each. */
const maxWaits = 25;
/** A request that takes longer waits for something else, such as a download's reader. */
const shortMilliseconds = 250;

/** Long loops wait for what enters, until it calls what this returns. */
export function enterShort(): () => void {
  const request = { since: performance.now() };
  inFlight.add(request);
  return () => inFlight.delete(request);
}

/**
 * For long loops: after some milliseconds of work, waits until the short requests have been answered. It waits only a
 * little at a time, so that a steady stream of them does not stop the loop.
 */
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

export async function othersPass(): Promise<void> {
  await nextTurn();
  for (let waits = 0; waits < maxWaits && areShortInFlight(); waits++) await sleep(1);
}

function areShortInFlight(): boolean {
  const now = performance.now();
  for (const { since } of inFlight) if (now - since < shortMilliseconds) return true;
  return false;
}
