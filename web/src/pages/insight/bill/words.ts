import type { Cause, Report, Sums } from './queries.ts';

export function causesOf({ net_explained: parts }: Pick<Sums, 'net_explained'>): [Cause, number][] {
  return (Object.entries(parts) as [Cause, number][])
    .filter(([, amount]) => amount !== 0)
    .toSorted(([, a], [, b]) => Math.abs(b) - Math.abs(a));
}

export const formatWords: Record<Report['format'], string> = {
  summarised: 'Summarized',
  detailed: 'Detailed',
  legacy: 'Legacy',
  api: 'Fetched',
};
