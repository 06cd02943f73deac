import { notifyManager, useQueryClient, type Query } from '@tanstack/react-query';
import { useCallback, useLayoutEffect, useSyncExternalStore } from 'react';
import { ApiError } from '../api/client.ts';

const refused = [403, 404];

/** Whether the server's answer is final, so that a retry cannot help. */
export function isRefusal(error: Error | null): error is ApiError {
  return error instanceof ApiError && refused.includes(error.status);
}

/** Whether the server could not answer, often for one reason that affects all parts of a page. */
export function isOutage(error: Error | null): error is ApiError {
  return error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 500);
}

/** Whether a part of the page is old or missing, and a retry may help. */
export function isFailed(query: Query): boolean {
  const { status, data, error } = query.state;
  const isWorthRetrying = isOutage(error) || (data !== undefined && !isRefusal(error));
  return status === 'error' && query.isActive() && isWorthRetrying;
}

/** Errors that a panel explains itself, with its own retry. */
const said = new Set<Error>();
const listeners = new Set<() => void>();

/** Applies `read` to the failed queries. `read` must return the same value until it changes. */
export function useFailures<Value>(read: (failed: Query[], saidErrors: ReadonlySet<Error>) => Value): Value {
  const cache = useQueryClient().getQueryCache();
  const subscribe = useCallback(
    (onChange: () => void) => {
      const unsubscribe = cache.subscribe(notifyManager.batchCalls(onChange));
      listeners.add(onChange);
      return () => {
        unsubscribe();
        listeners.delete(onChange);
      };
    },
    [cache],
  );
  const found = () => read(cache.getAll().filter(isFailed), said);
  return useSyncExternalStore(subscribe, found, () => read([], said));
}

/** Prevents the frame from repeating an error that a panel shows, before anyone sees both. */
export function useSays(error: Error | null): void {
  useLayoutEffect(() => {
    if (!error) return undefined;
    const change = (set: (of: Error) => unknown) => {
      set(error);
      for (const listener of listeners) listener();
    };
    change((each) => said.add(each));
    return () => change((each) => said.delete(each));
  }, [error]);
}

export function reasonOf(error: Error): string {
  const request = error instanceof ApiError && error.requestId ? ` (request ${error.requestId})` : '';
  return error.message + request;
}
