/** Typed text, until the field that it is meant for has the focus. */
let kept = '';
let stopping: AbortController | null = null;

/** Keeps what is typed from now on, until a click, Escape or another key that is not text. */
export function keepKeys(): void {
  takeKeys();
  stopping = new AbortController();
  const { signal } = stopping;
  const keep = (event: KeyboardEvent) => {
    const { key } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || key === 'Shift') return;
    if (key === 'Backspace') kept = kept.slice(0, -1);
    else if (key.length === 1) kept += key;
    else return void takeKeys();
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
