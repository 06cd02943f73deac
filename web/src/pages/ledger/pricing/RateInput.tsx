import { TextInput, type TextInputProps } from '@mantine/core';
import { useState } from 'react';
import { rateText, typedRate, type TypedRate } from './words.ts';

type Props = Pick<TextInputProps, 'label' | 'aria-label' | 'size' | 'w' | 'error' | 'autoFocus'> & {
  value: TypedRate;
  onChange: (rate: TypedRate) => void;
};

/** Keeps text exactly as typed, because correcting it could change the price. */
export function RateInput({ value, onChange, error, ...props }: Props) {
  const [text, setText] = useState(() => rateText(value));
  const isWrong = text.trim() !== '' && typedRate(text) === '';
  return (
    <TextInput
      required
      inputMode="decimal"
      autoComplete="off"
      value={text}
      error={isWrong ? 'Enter dollars, such as 0.008' : error}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
        onChange(typedRate(currentTarget.value));
      }}
      {...props}
    />
  );
}
