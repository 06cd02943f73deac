import { NativeSelect, type NativeSelectProps } from '@mantine/core';

type Option<T extends string> = T | { value: T; label: string };

type Look<T extends string> = Omit<NativeSelectProps, 'data' | 'value' | 'onChange'> & {
  label: string;
  options: readonly Option<T>[];
};

type Props<T extends string> = Look<T> &
  (
    | { value: T; onChange: (value: T) => void; none?: never }
    /** The option for no choice, such as `All events`. */
    | { value: T | null; onChange: (value: T | null) => void; none: string }
  );

export type ChoiceProps = Look<string> & { none?: string };

/** The browser's own list, which works on every screen and needs no script. */
export function Choice<T extends string>({ options, value, none, onChange, ...props }: Props<T>) {
  const choices: (string | { value: string; label: string })[] =
    none === undefined ? [...options] : [{ value: '', label: none }, ...options];
  // A value in the address that is not an option is added; the browser would show the first option instead.
  const isKnown = !value || choices.some((each) => (typeof each === 'string' ? each : each.value) === value);
  return (
    <NativeSelect
      {...props}
      data={isKnown ? choices : [...choices, value]}
      value={value ?? ''}
      onChange={({ currentTarget }) =>
        onChange((none !== undefined && currentTarget.value === '' ? null : currentTarget.value) as T)
      }
    />
  );
}

export function optionsOf<T extends string>(titles: Record<T, string>): { value: T; label: string }[] {
  return (Object.keys(titles) as T[]).map((value) => ({ value, label: titles[value] }));
}
