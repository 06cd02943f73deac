import { Box, Button, Text } from '@mantine/core';
import { Suspense, useState, type ReactNode } from 'react';
import { Boundary } from './Boundary.tsx';
import { Loading } from './Loading.tsx';
import { Panel } from './Panel.tsx';

type Props = {
  title: string;
  /** What the chart shows, in a sentence. */
  label: string;
  height: number;
  chart: ReactNode;
  table: ReactNode;
  /** Under the chart and the table alike. */
  children?: ReactNode;
};

/** A chart that can be read as a table, too, and is one where it cannot be drawn. */
export function ChartOrTable({ title, label, height, chart, table, children }: Props) {
  const [isTable, setIsTable] = useState(false);
  return (
    <Panel
      title={title}
      aside={
        <Button
          variant="default"
          size="compact-sm"
          aria-label={`${title} ${isTable ? 'as a chart' : 'as a table'}`}
          onClick={() => setIsTable(!isTable)}
        >
          {isTable ? 'As a chart' : 'As a table'}
        </Button>
      }
    >
      {isTable ? (
        <Box mih={height}>{table}</Box>
      ) : (
        <Boundary
          fallback={() => (
            <Box mih={height}>
              <Text size="sm" c="dimmed" mb="xs">
                The chart could not be loaded; this is what it shows.
              </Text>
              {table}
            </Box>
          )}
        >
          <Box h={height} role="img" aria-label={label}>
            <Suspense fallback={<Loading height={height} />}>{chart}</Suspense>
          </Box>
        </Boundary>
      )}
      {children}
    </Panel>
  );
}
