import { LRUCache } from 'lru-cache';
import type { Clock } from './time.ts';

/** Beyond this number, the oldest are forgotten. */
const maxKeys = 10_000;

/** Returns true at most once per key within this time. */
export function firstWithin(clock: Clock, milliseconds: number): (key: string) => boolean {
  const passed = new LRUCache<string, number>({ max: maxKeys });
  return (key) => {
    const now = clock.now().getTime();
    if (now - (passed.get(key) ?? -Infinity) < milliseconds) return false;
    passed.set(key, now);
    return true;
  };
}
