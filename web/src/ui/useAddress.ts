import { useEffect } from 'react';
import { useSearchParams } from 'wouter';
import type { Order } from './columns.ts';

type Changes = Record<string, string | null>;

/** The query parameters of the address. Null or '' removes a parameter; any change except `page` resets the page. */
export function useAddress(): [
  params: URLSearchParams,
  change: (changes: Changes, options?: { replace?: boolean }) => void,
] {
  const [params, setParams] = useSearchParams();
  const change = (changes: Changes, options = {}): void => {
    setParams((before) => {
      const after = new URLSearchParams(before);
      if (!('page' in changes)) after.delete('page');
      for (const [name, value] of Object.entries(changes)) {
        if (value) after.set(name, value);
        else after.delete(name);
      }
      return after;
    }, options);
  };
  return [params, change];
}

export function oneOf<const T extends readonly string[], const D>(
  known: T,
  value: string | null,
  otherwise: D,
): T[number] | D {
  return known.find((word) => word === value) ?? otherwise;
}

export function dayIn(params: URLSearchParams, name: string): string | null {
  const text = params.get(name) ?? '';
  return isDay(text) ? text : null;
}

/** For example `2026-11-21`. `Date` would accept February 31 as a day in March. */
export function isDay(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().slice(0, 10) === text;
}

export function useDropped(names: readonly string[], isUnknown: boolean): void {
  const [, change] = useAddress();
  useEffect(() => {
    if (isUnknown) change(Object.fromEntries(names.map((name) => [name, null])), { replace: true });
  }, [isUnknown]);
}

/** The address of a run's page. Run ids may contain any character, such as `/` or `%`. */
export function runAddress(id: string): string {
  return `/runs/${encodeURIComponent(id)}`;
}

/** Keeps slashes for readability, unless browsers would resolve a part such as `..`. */
export function repositoryAddress(name: string): string {
  const parts = name.split('/');
  const isPlain = !name.startsWith('=') && !parts.some((part) => ['', '.', '..'].includes(part));
  return `/repositories/${isPlain ? parts.map(encodeURIComponent).join('/') : literally(name)}`;
}

/** Null means unowned costs. No team can have that name. */
export function teamAddress(name: string | null): string {
  if (name === null) return '/teams/unowned';
  return `/teams/${/^(=|\.\.?$)/.test(name) ? literally(name) : encodeURIComponent(name)}`;
}

function literally(name: string): string {
  return `=${encodeURIComponent(name)}`;
}

/** The repository or team in an address; null if there is none. */
export function nameIn(encoded: string | undefined): string | null {
  return decoded((encoded ?? '').replace(/^=/, '')) || null;
}

export function decoded(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}

/** The order in the address, as `sort=-column`; `-` means largest first. For lists that the server sorts. */
export function orderIn<const T extends readonly string[]>(
  columns: T,
  params: URLSearchParams,
  otherwise: Order & { column: T[number] },
): Order & { column: T[number] } {
  const asked = params.get('sort') ?? '';
  const column = oneOf(columns, asked.replace(/^-/, ''), null);
  return column === null ? otherwise : { column, isDescending: asked.startsWith('-') };
}

export const sortOfOrder = ({ column, isDescending }: Order) => ({
  sort: isDescending ? `-${column}` : column,
});

export function pageIn(params: URLSearchParams): number {
  const page = Number(params.get('page'));
  return Number.isSafeInteger(page) && page > 0 ? page : 1;
}
