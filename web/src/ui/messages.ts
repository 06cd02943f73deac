import { useSyncExternalStore } from 'react';

export type Message = {
  id: string;
  /** Differs from that of the message it replaces, so that screen readers announce the same words again. */
  number: number;
  title?: string;
  text: string;
  color: 'green' | 'orange' | 'red';
  /** Null if it stays until someone dismisses it. */
  seconds: number | null;
};

let messages: readonly Message[] = [];
let count = 0;
const listeners = new Set<() => void>();

function change(next: readonly Message[]): void {
  messages = next;
  for (const listener of listeners) listener();
}

type New = Pick<Message, 'title' | 'text' | 'color'> & Partial<Message>;

/** Shows a message over the page for a few seconds. It replaces one with the same id, by default of its color. */
export function showMessage(message: New): void {
  const shown = { id: message.color, number: ++count, seconds: 4, ...message };
  change([...messages.filter(({ id }) => id !== shown.id), shown]);
}

export function hideMessage(gone: string): void {
  change(messages.filter(({ id }) => id !== gone));
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

const current = () => messages;

export const useMessages = () => useSyncExternalStore(listen, current, current);
