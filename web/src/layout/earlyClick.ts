import { useEffect } from 'react';

type EarlyClick = {
  target: HTMLElement | null;
  /** Undefined: the browser has kept an older `scheme.js`. */
  isAlive: typeof isAlive | undefined;
  keep: (event: MouseEvent) => void;
};

/** `scheme.js` makes it before these scripts are there. */
declare global {
  var earlyClick: EarlyClick | undefined;
}

/** Repeats the last early click once what was clicked can be used: the frame before the page in it. */
export function useEarlyClick(isPageAlive: boolean): void {
  useEffect(() => {
    const early = globalThis.earlyClick;
    if (!early) return;
    if (!early.isAlive) return removeEventListener('click', early.keep, true);
    early.isAlive = isAlive;
    if (isPageAlive)
      // Whoever goes on does not wait for it.
      for (const type of ['pointerdown', 'keydown']) addEventListener(type, () => drop(early), true);
    repeat(early);
  }, [isPageAlive]);
}

/** Beside a part of a page whose scripts come later than the page's. */
export function PartAlive() {
  useEffect(() => {
    if (globalThis.earlyClick) repeat(globalThis.earlyClick);
  }, []);
  return null;
}

function repeat(early: EarlyClick): void {
  const target = early.target && inPageNow(early.target);
  if (!target || target.closest('[inert]') || !isAlive(target)) return;
  drop(early);
  target.focus();
  target.click();
}

function drop(early: EarlyClick): void {
  early.target = null;
  document.documentElement.removeAttribute('data-waiting');
}

/** React may have replaced it by one that reads the same. Which one it was must be certain. */
function inPageNow(clicked: HTMLElement): HTMLElement | null {
  if (clicked.isConnected) return clicked;
  const { tagName, textContent, ariaLabel } = clicked;
  const [found, another] = [...document.querySelectorAll<HTMLElement>(`#content ${tagName}`)].filter(
    (each) =>
      each.textContent === textContent &&
      each.ariaLabel === ariaLabel &&
      each.getAttribute('href') === clicked.getAttribute('href'),
  );
  return found && !another ? found : null;
}

/** React ignores clicks on what it has not taken over yet, and says so only by a key of its own. */
function isAlive(element: HTMLElement): boolean {
  return Object.keys(element).some((key) => key.startsWith('__reactProps$'));
}
