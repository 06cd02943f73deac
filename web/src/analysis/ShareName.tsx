import { TextInput } from '@mantine/core';
import { errorOf } from '../ui/useChange.ts';

type Props = { value: string; onChange: (name: string) => void; error: Error | null };

export function ShareName({ value, onChange, error }: Props) {
  return (
    <TextInput
      label="Name (optional)"
      description="For the list of share links. Visitors do not see it."
      maxLength={255}
      autoComplete="off"
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      error={errorOf(error, 'name')}
    />
  );
}
