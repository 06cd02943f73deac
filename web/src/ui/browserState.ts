import { useCallback, useSyncExternalStore } from 'react';

const never = () => () => {};

/**
 * A value that only the browser knows. Hydration starts with `assumed`; otherwise React would discard the server's
 * page.
 */
export function useBrowserState<Value>(read: () => Value, assumed: Value): Value {
  return useSyncExternalStore(never, read, () => assumed);
}

/** False on the server and during hydration. */
export function useIsAlive(): boolean {
  return useBrowserState(() => true, false);
}

/** Whether a media query matches. The server assumes that it does not. */
export function useMediaQuery(query: string): boolean {
  const subscribe = useCallback(
    (onChange: () => void) => {
      const list = matchMedia(query);
      list.addEventListener('change', onChange);
      return () => list.removeEventListener('change', onChange);
    },
    [query],
  );
  return useSyncExternalStore(
    subscribe,
    () => matchMedia(query).matches,
    () => false,
  );
}

/** The IANA name of the viewer's time zone. The server assumes UTC. */
export function useViewersZone(): string {
  return useBrowserState(() => new Intl.DateTimeFormat().resolvedOptions().timeZone, 'UTC');
}

let drawnAt: number | null = null;

/** Sets when the server rendered the page. */
export function setDrawnAt(time: number): void {
  drawnAt = time;
}

/** The current time. A page from the server starts with the time when it was rendered. */
export function useNow(): Date {
  const time = useBrowserState(() => null, drawnAt);
  return new Date(time ?? Date.now());
}
