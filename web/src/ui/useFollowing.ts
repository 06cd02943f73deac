import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';

type Run = { id: string; status: string; conclusion: string | null; cost: number };

/** Reloads sums when the newest runs change, so that both agree, but at most every `minSeconds`. */
export function useFollowing(
  runs: readonly Run[] | undefined,
  paths: readonly string[],
  minSeconds: number,
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
    const wait = loadedAt.current + minSeconds * 1_000 - Date.now();
    const timer = setTimeout(
      () => {
        isDue.current = false;
        loadedAt.current = Date.now();
        for (const path of paths) void queryClient.invalidateQueries({ queryKey: [path] });
      },
      Math.max(0, wait),
    );
    return () => clearTimeout(timer);
  }, [state, paths, minSeconds, queryClient]);
}
