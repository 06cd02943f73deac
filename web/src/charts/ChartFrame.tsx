import { Skeleton } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useMediaQuery } from '../ui/browserState.ts';
import './charts.css';
import { Failed } from '../ui/Loaded.tsx';

export const chartPlaceholder = <Skeleton className="chart-height" aria-busy="true" />;

/** Matches `.chart-height`. */
export function useChartHeight(): number {
  const isSmall = useMediaQuery('(width < 48em), (height < 600px)');
  const isLow = useMediaQuery('(height < 500px)');
  return isLow ? 140 : isSmall ? 240 : 320;
}

export type Waited = Pick<UseQueryResult, 'error' | 'refetch'>;

/** In place of a chart, while it loads or if it fails. */
export function ChartWaits({
  query: { error, refetch },
  hasLegend = true,
}: {
  query: Waited;
  hasLegend?: boolean;
}) {
  const height = useChartHeight();
  if (error)
    return (
      <div className="chart-height">
        <Failed error={error} retry={() => void refetch()} height={height} />
      </div>
    );
  if (!hasLegend) return chartPlaceholder;
  return (
    <div className="chart-frame">
      {chartPlaceholder}
      <div className="legend" />
    </div>
  );
}

type Props = { id?: string; label: string; legend: ReactNode; children: ReactNode };

/** A chart with its legend at the side, or below on narrow screens. */
export function ChartFrame({ id, label, legend, children }: Props) {
  return (
    <div className="chart-frame">
      <div id={id} className="chart-height" role="img" aria-label={label}>
        {children}
      </div>
      {legend}
    </div>
  );
}
