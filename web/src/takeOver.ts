import type { ReactNode } from 'react';
import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';

type Field = HTMLInputElement | HTMLTextAreaElement;
const isField = (element: Element): element is Field => element.matches('input, textarea');

/** Replaces the server's page at once. What its reader has typed stays, and so does the focus. */
export function takeOver(root: Element, app: ReactNode): void {
  const typed = [...root.querySelectorAll<Field>('input, textarea')]
    .filter(({ value, defaultValue }) => value !== defaultValue)
    .map((field) => ({ value: field.value, find: twinOf(field, root) }));
  const focused = document.activeElement;
  const findFocused = focused && root.contains(focused) ? twinOf(focused, root) : undefined;
  flushSync(() => createRoot(root).render(app));
  for (const { value, find } of typed) type(find(), value);
  findFocused?.()?.focus({ preventScroll: true });
}

/** Finds the element that React has put in the place of this one: the same of those that look like it. */
function twinOf(element: Element, root: Element): () => HTMLElement | undefined {
  const alike = () =>
    [...root.querySelectorAll<HTMLElement>(element.tagName)].filter((each) => isAlike(each, element));
  const place = alike().indexOf(element as HTMLElement);
  return () => alike()[place];
}

function isAlike(one: Element, other: Element): boolean {
  const attributes = ['href', 'name', 'type', 'placeholder', 'aria-label'];
  return (
    one.textContent === other.textContent &&
    attributes.every((name) => one.getAttribute(name) === other.getAttribute(name))
  );
}

/** React notices a change only if the value is set past its own property. */
function type(field: HTMLElement | undefined, value: string): void {
  if (!field || !isField(field)) return;
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value')!.set!.call(field, value);
  field.dispatchEvent(new Event('input', { bubbles: true }));
}
