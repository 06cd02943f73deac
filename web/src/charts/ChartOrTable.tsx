import { Box, Skeleton } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { Boundary } from '../ui/Boundary.tsx';
import { Panel } from '../ui/Panel.tsx';
import { SmallButton } from '../ui/rights.tsx';
import { Note } from '../ui/text.tsx';
import { ChartFrame, ChartWaits, type Waited } from './ChartFrame.tsx';

type Props = {
  title: string;
  label: string;
  height: number;
  chart: ReactNode;
  table: ReactNode;
  /** With a legend, the chart has the height of all charts with one. */
  legend?: ReactNode;
  children?: ReactNode;
};

/** A chart that can switch to a table. The table also replaces a chart that fails. */
export function ChartOrTable({ title, label, height, chart, table, legend, children }: Props) {
  const [isTable, setIsTable] = useState(false);
  return (
    <Panel
      title={title}
      aside={
        <SmallButton
          aria-label={`${title}: ${isTable ? 'show as chart' : 'show as table'}`}
          onClick={() => setIsTable(!isTable)}
        >
          {isTable ? 'Show as chart' : 'Show as table'}
        </SmallButton>
      }
    >
      {isTable ? (
        <Box mih={height}>{table}</Box>
      ) : (
        <Boundary
          fallback={() => (
            <Box mih={height}>
              <Note mb="xs">The chart cannot be shown. Here are its numbers.</Note>
              {table}
            </Box>
          )}
        >
          {legend ? (
            <ChartFrame label={label} legend={legend}>
              {chart}
            </ChartFrame>
          ) : (
            <Box h={height} role="img" aria-label={label}>
              {chart}
            </Box>
          )}
        </Boundary>
      )}
      {children}
    </Panel>
  );
}

type ToComeProps = { title: string; query: Waited; hasLegend?: boolean; children?: ReactNode };

/** In place of the panel, while its chart loads or if it fails. */
export function ChartToCome({ title, children, ...props }: ToComeProps) {
  return (
    <Panel title={title} aside={props.query.error ? null : <Skeleton height={26} width={104} />}>
      <ChartWaits {...props} />
      {!props.query.error && children}
    </Panel>
  );
}
