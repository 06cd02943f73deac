import { SegmentedControl } from '@mantine/core';

type Props<T extends string> = {
  label: string;
  options: Readonly<Record<T, string>>;
  value: T;
  onChange: (value: T) => void;
};

/** A few choices side by side, in the order of `options`. */
export function Segments<T extends string>({ label, options, value, onChange }: Props<T>) {
  return (
    <SegmentedControl
      size="xs"
      aria-label={label}
      value={value}
      onChange={(chosen) => onChange(chosen as T)}
      data={Object.entries<string>(options).map(([each, title]) => ({ value: each, label: title }))}
    />
  );
}

type DaysProps<T extends string> = { known: readonly T[] } & Omit<Props<T>, 'label' | 'options'>;

export function DaysChoice<T extends string>({ known, ...props }: DaysProps<T>) {
  const options = Object.fromEntries(known.map((days) => [days, `${days} days`])) as Record<T, string>;
  return <Segments label="Period" options={options} {...props} />;
}
