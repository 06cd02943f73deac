import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';

type Run = { id: string; status: string; conclusion: string | null; cost: number };

/**
 * Loads sums again when the newest runs are others, or have become something else: what is seen of both agrees. At most
 * once in so many seconds, so that a busy organization does not ask all the time.
 */
export function useFollowing(
  runs: readonly Run[] | undefined,
  /** Beginnings of the keys of the sums. */
  paths: readonly string[],
  leastSeconds: number,
): void {
  const queryClient = useQueryClient();
  const state = runs
    ?.map(({ id, status, conclusion, cost }) => `${id} ${status} ${conclusion} ${cost}`)
    .join();
  const seen = useRef<string>(undefined);
  const loadedAt = useRef(0);
  const isDue = useRef(false);
  useEffect(() => {
    if (state === undefined) return undefined;
    if (seen.current !== undefined && seen.current !== state) isDue.current = true;
    seen.current = state;
    if (!isDue.current) return undefined;
    const wait = loadedAt.current + leastSeconds * 1_000 - Date.now();
    const timer = setTimeout(
      () => {
        isDue.current = false;
        loadedAt.current = Date.now();
        for (const path of paths) void queryClient.invalidateQueries({ queryKey: [path] });
      },
      Math.max(0, wait),
    );
    return () => clearTimeout(timer);
  }, [state, paths, leastSeconds, queryClient]);
}
