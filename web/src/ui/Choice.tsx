import { NativeSelect, type NativeSelectProps } from '@mantine/core';

type Option<T extends string> = T | { value: T; label: string };

type Props<T extends string> = Omit<NativeSelectProps, 'data' | 'value' | 'onChange'> & {
  label: string;
  options: readonly Option<T>[];
} & (
    | { value: T; onChange: (value: T) => void; none?: never }
    /** What stands for no choice, such as `All events`. */
    | { value: T | null; onChange: (value: T | null) => void; none: string }
  );

/** One of several, by the browser's own list: it fits every screen, keyboard and reader, and waits for no script. */
export function Choice<T extends string>({ options, value, none, onChange, ...props }: Props<T>) {
  const choices: (string | { value: string; label: string })[] =
    none === undefined ? [...options] : [{ value: '', label: none }, ...options];
  // Such as what an address asks for: without it the browser would show the first of the list as chosen.
  const isKnown = !value || choices.some((each) => (typeof each === 'string' ? each : each.value) === value);
  return (
    <NativeSelect
      {...props}
      data={isKnown ? choices : [...choices, value]}
      value={value ?? ''}
      onChange={({ currentTarget }) =>
        // The browser gives back one of the values it was given; where there is a way to choose none, '' is it.
        onChange((none !== undefined && currentTarget.value === '' ? null : currentTarget.value) as T)
      }
    />
  );
}
