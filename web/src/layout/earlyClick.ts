import { useEffect } from 'react';

type EarlyClick = { target: HTMLElement | null; isFrameAlive: boolean; keep: (event: MouseEvent) => void };

/** `scheme.js` makes it before these scripts are there, unless the browser has kept an older file. */
declare global {
  var earlyClick: EarlyClick | undefined;
}

/** Repeats the last early click once what was clicked can be used: the frame before the page in it. */
export function useEarlyClick(isPageAlive: boolean): void {
  useEffect(() => {
    const early = globalThis.earlyClick;
    if (!early) return;
    early.isFrameAlive = true;
    if (isPageAlive) removeEventListener('click', early.keep, true);
    const { target } = early;
    if (!target || target.closest('[inert]')) return;
    early.target = null;
    document.documentElement.removeAttribute('data-waiting');
    // It is gone if the browser replaced the page.
    if (!target.isConnected) return;
    target.focus();
    target.click();
  }, [isPageAlive]);
}
