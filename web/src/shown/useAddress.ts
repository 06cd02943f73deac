import { useSearchParams } from 'wouter';

type Changes = Record<string, string | null>;

/**
 * What stands behind the address's `?`, so that what is seen can be shared. A value that is changed to null or to
 * nothing is taken out; any change but one of the page leads to the first page.
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

/** The value in the address if it is one of those known. */
export function oneOf<const T extends readonly string[], const D>(
  known: T,
  value: string | null,
  otherwise: D,
): T[number] | D {
  return known.find((word) => word === value) ?? otherwise;
}

/** The page in the address, from 1. */
export function pageIn(params: URLSearchParams): number {
  const page = Number(params.get('page'));
  return Number.isSafeInteger(page) && page > 0 ? page : 1;
}
