/** Typed text, until the field that it is meant for has the focus. */
let kept = '';
let stopping: AbortController | null = null;

/** Keeps what is typed from now on, until a click or Escape. An Enter before there are results does nothing. */
export function keepKeys(): void {
  takeKeys();
  stopping = new AbortController();
  const { signal } = stopping;
  const keep = (event: KeyboardEvent) => {
    const { key } = event;
    if (key === 'Escape') return void takeKeys();
    const isText = key.length === 1 && (event.getModifierState('AltGraph') || !event.altKey);
    if (event.metaKey || (event.ctrlKey && !event.getModifierState('AltGraph'))) return;
    if (key === 'Backspace') kept = kept.slice(0, -1);
    else if (isText) kept += key;
    else if (key !== 'Enter') return;
    event.preventDefault();
    event.stopPropagation();
  };
  addEventListener('keydown', keep, { capture: true, signal });
  addEventListener('pointerdown', () => void takeKeys(), { capture: true, signal });
}

/** Returns the typed text and stops keeping it. */
export function takeKeys(): string {
  stopping?.abort();
  stopping = null;
  const keys = kept;
  kept = '';
  return keys;
}
