import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Failed, isRefusal } from './Failed.tsx';
import { Loading } from './Loading.tsx';

type Props<T> = {
  query: UseQueryResult<T>;
  /** Of what will be shown, in pixels. */
  height?: number;
  children: (data: T) => ReactNode;
};

/**
 * What a query has answered: what it shows meanwhile is as tall, and what fails can be tried again. What could not be
 * loaded again stays, unless it may not be seen any more; the frame around the page tells since when it is old.
 */
export function Loaded<T>({ query, height, children }: Props<T>) {
  if (query.data !== undefined && !isRefusal(query.error)) return <>{children(query.data)}</>;
  if (query.error) return <Failed error={query.error} retry={() => void query.refetch()} />;
  return <Loading {...(height === undefined ? {} : { height })} />;
}
