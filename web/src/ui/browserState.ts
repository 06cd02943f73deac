import { useCallback, useSyncExternalStore } from 'react';

/** What takes long or depends on the viewer is left to the browser. */
export const isServer = typeof document === 'undefined';

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
export const viewersZone = () => (isServer ? 'UTC' : new Intl.DateTimeFormat().resolvedOptions().timeZone);
