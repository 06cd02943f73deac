import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Failed } from './Failed.tsx';
import { Loading } from './Loading.tsx';
import { isRefusal } from './outages.ts';

type Props<T> = {
  query: UseQueryResult<T>;
  height?: number;
  /** In its place while it loads, if not rows of `height`. */
  waiting?: ReactNode;
  children: (data: T) => ReactNode;
};

/** Shows a query's data, its error or a placeholder. Old data stays after a failed reload (see `StaleNotice`). */
export function Loaded<T>({ query, height, waiting, children }: Props<T>) {
  if (query.data !== undefined && !isRefusal(query.error)) return <>{children(query.data)}</>;
  if (query.error) return <Failed error={query.error} retry={() => void query.refetch()} height={height} />;
  if (waiting !== undefined) return <>{waiting}</>;
  return <Loading {...(height === undefined ? {} : { height })} />;
}
