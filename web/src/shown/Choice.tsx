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
  const choices: readonly (Option<T> | { value: ''; label: string })[] =
    none === undefined ? options : [{ value: '', label: none }, ...options];
  return (
    <NativeSelect
      {...props}
      data={[...choices]}
      value={value ?? ''}
      onChange={({ currentTarget }) =>
        // The browser gives back one of the values it was given; where there is a way to choose none, '' is it.
        onChange((none !== undefined && currentTarget.value === '' ? null : currentTarget.value) as T)
      }
    />
  );
}
