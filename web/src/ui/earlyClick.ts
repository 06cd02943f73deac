import { useEffect } from 'react';

type EarlyClick = {
  target: HTMLElement | null;
  /** Undefined if the browser has cached an older `scheme.js`. */
  isAlive: typeof isAlive | undefined;
  keep: (event: MouseEvent) => void;
};

/** `scheme.js` creates it before these scripts load. */
declare global {
  var earlyClick: EarlyClick | undefined;
}

/** Repeats the last early click as soon as its target works. The frame becomes usable before the page inside it. */
export function useEarlyClick(isPageAlive: boolean): void {
  useEffect(() => {
    const early = globalThis.earlyClick;
    if (!early) return;
    if (!early.isAlive) return removeEventListener('click', early.keep, true);
    early.isAlive = isAlive;
    if (isPageAlive)
      // Once the person goes on, the early click is dropped.
      for (const type of ['pointerdown', 'keydown']) addEventListener(type, () => drop(early), true);
    repeat(early);
  }, [isPageAlive]);
}

/** Renders nothing; marks a part of the page whose scripts load later than the page's. */
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

/** React may have replaced the element with an identical one. Returns null if more than one matches. */
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

/** React ignores clicks on elements that it has not hydrated. It marks hydrated ones only by a key of its own. */
function isAlive(element: HTMLElement): boolean {
  return Object.keys(element).some((key) => key.startsWith('__reactProps$'));
}
