import { NumberInput, type NumberInputProps } from '@mantine/core';
import { typedRate, type TypedRate } from './words.ts';

type Props = Pick<NumberInputProps, 'label' | 'aria-label' | 'size' | 'w' | 'error' | 'autoFocus'> & {
  value: TypedRate;
  onChange: (rate: TypedRate) => void;
};

export function RateInput({ onChange, ...props }: Props) {
  return (
    <NumberInput
      required
      min={0}
      max={100}
      decimalScale={9}
      prefix="$"
      hideControls
      onChange={(typed) => onChange(typedRate(typed))}
      {...props}
    />
  );
}
