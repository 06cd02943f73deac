import { Skeleton } from '@mantine/core';
import { Suspense, type ReactNode } from 'react';
import { useMediaQuery } from '../ui/browserFacts.ts';
import './charts.css';

export const chartPlaceholder = <Skeleton className="chart-height" aria-busy="true" />;

/** Matches `.chart-height`. */
export function useChartHeight(): { height: number } {
  const isNarrow = useMediaQuery('(width < 48em)');
  return { height: isNarrow ? 240 : 320 };
}

type Props = { id?: string; label: string; legend: ReactNode; children: ReactNode };

/** A chart with its legend at the side, or below on narrow screens. */
export function ChartFrame({ id, label, legend, children }: Props) {
  return (
    <div className="chart-frame">
      <div id={id} className="chart-height" role="img" aria-label={label}>
        <Suspense fallback={chartPlaceholder}>{children}</Suspense>
      </div>
      {legend}
    </div>
  );
}
