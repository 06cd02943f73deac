import { Button, Text } from '@mantine/core';
import { late } from '../ui/late.ts';
import { LateMenu, type TargetProps } from '../ui/LateMenu.tsx';
import { Caret } from './Caret.tsx';
import type { Option } from './PickOpened.tsx';

const load = () => import('./PickOpened.tsx');
const PickOpened = late(load, 'PickOpened');

type Props<T extends string> = {
  label: string;
  value: T;
  /** In their order, also as their titles by value. */
  options: readonly (Option & { value: T })[] | Readonly<Record<T, string>>;
  onChange: (value: T) => void;
};

export function Pick<T extends string>({ label, value, options: given, onChange }: Props<T>) {
  const options: readonly Option[] = isList(given)
    ? given
    : Object.entries<string>(given).map(([each, title]) => ({ value: each, title }));
  const chosen = options.find((option) => option.value === value)?.title ?? value;
  const target = (props: TargetProps) => (
    <Button {...props} variant="default" size="xs" fw={600} px={10} rightSection={<Caret />}>
      <Text span inherit c="dimmed" fw={400} mr={6}>
        {label}
      </Text>
      {chosen}
    </Button>
  );
  const choose = (next: string) => onChange(next as T);
  return (
    <LateMenu
      load={load}
      target={target}
      menu={<PickOpened target={target} value={value} options={options} onChange={choose} />}
    />
  );
}

const isList = <T extends string>(
  options: Props<T>['options'],
): options is readonly (Option & { value: T })[] => Array.isArray(options);
