import { Button, Menu, Text } from '@mantine/core';
import { Caret } from './Caret.tsx';

type Option<T extends string> = { value: T; title: string; isDisabled?: boolean };

type Props<T extends string> = {
  label: string;
  value: T;
  /** In their order, also as their titles by value. */
  options: readonly Option<T>[] | Readonly<Record<T, string>>;
  onChange: (value: T) => void;
};

export function Pick<T extends string>({ label, value, options: given, onChange }: Props<T>) {
  const options = isList(given) ? given : Object.entries<string>(given).map(titled<T>);
  const chosen = options.find((option) => option.value === value)?.title ?? value;
  return (
    <Menu position="bottom-start" shadow="md" width="max-content" withinPortal>
      <Menu.Target>
        <Button variant="default" size="xs" fw={600} px={10} rightSection={<Caret />}>
          <Text span inherit c="dimmed" fw={400} mr={6}>
            {label}
          </Text>
          {chosen}
        </Button>
      </Menu.Target>
      <Menu.Dropdown mah={360} style={{ overflowY: 'auto' }}>
        <Menu.RadioGroup value={value} onChange={(next) => onChange(next as T)}>
          {options.map((option) => (
            <Menu.RadioItem
              key={option.value}
              value={option.value}
              closeMenuOnClick
              {...(option.isDisabled ? { disabled: true } : {})}
            >
              {option.title}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
      </Menu.Dropdown>
    </Menu>
  );
}

const isList = <T extends string>(options: Props<T>['options']): options is readonly Option<T>[] =>
  Array.isArray(options);

const titled = <T extends string>([value, title]: [string, string]): Option<T> => ({
  value: value as T,
  title,
});
