import { notifyManager, useQueryClient, type Query } from '@tanstack/react-query';
import { useCallback, useLayoutEffect, useSyncExternalStore } from 'react';
import { ApiError } from '../api/client.ts';

const refused = [403, 404];

/** Whether the server's answer is final, so that a retry is no use. */
export function isRefusal(error: Error | null): error is ApiError {
  return error instanceof ApiError && refused.includes(error.status);
}

/** Whether the server could not answer, which often has one cause for all parts of a page. */
export function isOutage(error: Error | null): error is ApiError {
  return error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 500);
}

/** Whether a part of the page is old or missing, and a retry may help. */
export function isFailed(query: Query): boolean {
  const { status, data, error } = query.state;
  const isWorthRetrying = isOutage(error) || (data !== undefined && !isRefusal(error));
  return status === 'error' && query.isActive() && isWorthRetrying;
}

/** Errors of which a panel itself says why and offers a retry. */
const said = new Set<Error>();
const listeners = new Set<() => void>();

/** What `read` finds in the failed queries. It returns the same value until that changes. */
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

/** Keeps the frame from saying once more what a panel says, before anybody sees both. */
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
