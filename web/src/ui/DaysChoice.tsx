import { SegmentedControl } from '@mantine/core';

type Props<T extends string> = { known: readonly T[]; value: T; onChange: (days: T) => void };

export function DaysChoice<T extends string>({ known, value, onChange }: Props<T>) {
  return (
    <SegmentedControl
      size="xs"
      aria-label="Period"
      value={value}
      onChange={(days) => onChange(days as T)}
      data={known.map((days) => ({ value: days, label: `${days} days` }))}
    />
  );
}
