import { useEffect } from 'react';
import { useSearchParams } from 'wouter';
import type { Order } from './columns.ts';

type Changes = Record<string, string | null>;

/**
 * The query parameters, so that a view can be shared. Null or '' removes one; any change but `page` resets
 * the page.
 */
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

/** Such as `2026-11-21`. `Date` would take February 31 for a day in March. */
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

/** The address of a run's page. Run ids may hold any character, such as `/` or `%`. */
export function runAddress(id: string): string {
  return `/runs/${encodeURIComponent(id)}`;
}

/** Slashes stay, as people write the name, unless a browser would follow its parts, such as `..`. */
export function repositoryAddress(name: string): string {
  const parts = name.split('/');
  const isPlain = !name.startsWith('=') && !parts.some((part) => ['', '.', '..'].includes(part));
  return `/repositories/${isPlain ? parts.map(encodeURIComponent).join('/') : literally(name)}`;
}

/** `null` stands for unowned costs. No team has that name. */
export function teamAddress(name: string | null): string {
  if (name === null) return '/teams/unowned';
  return `/teams/${/^(=|\.\.?$)/.test(name) ? literally(name) : encodeURIComponent(name)}`;
}

function literally(name: string): string {
  return `=${encodeURIComponent(name)}`;
}

/** What the address of a repository or a team names; null if nothing. */
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

/** The order of a list that comes sorted, as `sort=-column` has it: `-` starts with the largest. */
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
