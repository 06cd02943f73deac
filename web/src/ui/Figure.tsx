import { Card, SimpleGrid, Skeleton, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Note } from './text.tsx';

export function Figures({ children }: { children: ReactNode }) {
  return (
    <SimpleGrid cols={{ base: 2, lg: 4 }} spacing={{ base: 'xs', sm: 'md' }}>
      {children}
    </SimpleGrid>
  );
}

type Props = {
  label: ReactNode;
  value: ReactNode;
  note?: ReactNode;
  trend?: ReactNode;
};

export function Figure({ label, value, note, trend }: Props) {
  return (
    <Card withBorder p={{ base: 'sm', sm: 'md' }}>
      <Note>{label}</Note>
      <Text component="div" fw={700} className="figure-value">
        {value}
      </Text>
      <Text component="div" size="sm" c="dimmed" className="figure-note">
        {note}
      </Text>
      {trend && <div className="figure-trend">{trend}</div>}
    </Card>
  );
}

export function FigureSkeleton({ label, hasTrend = true }: { label: string; hasTrend?: boolean }) {
  return (
    <Figure
      label={label}
      value={<Skeleton height="0.9em" width="70%" my="0.2em" />}
      note={<Skeleton height={12} width="90%" mt={6} />}
      trend={hasTrend && <Skeleton height={32} />}
    />
  );
}
