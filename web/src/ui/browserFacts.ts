import { useCallback, useSyncExternalStore } from 'react';

const never = () => () => {};

/** What only the browser knows. A page that the server has drawn begins with `assumed`, or React would replace it. */
export function useBrowserFact<Fact>(read: () => Fact, assumed: Fact): Fact {
  return useSyncExternalStore(never, read, () => assumed);
}

/** False while React takes over a page from the server. */
export function useIsAlive(): boolean {
  return useBrowserFact(() => true, false);
}

/** Whether the window is as narrow, or the like, as the query says. The server assumes that it is not. */
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

/** The IANA name of the viewer's zone. The server assumes UTC. */
export function useViewersZone(): string {
  return useBrowserFact(() => new Intl.DateTimeFormat().resolvedOptions().timeZone, 'UTC');
}

let drawnAt: number | null = null;

/** When the server drew the page. */
export function setDrawnAt(time: number): void {
  drawnAt = time;
}

/** Now, as the rest of the page has it: a page from the server begins with the time when it was drawn. */
export function useNow(): Date {
  const time = useBrowserFact(() => null, drawnAt);
  return new Date(time ?? Date.now());
}
