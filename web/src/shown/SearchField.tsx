import { Autocomplete, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';

type Props = {
  label: string;
  placeholder?: string;
  value: string;
  /** Offered while typing; anything else can be typed as well. */
  suggestions?: string[];
  /** Once typing has paused. */
  onSettled: (value: string) => void;
};

/** A field whose text counts once typing has paused. */
export function SearchField({ label, placeholder = '', value, suggestions, onSettled }: Props) {
  const [draft, setDraft] = useState(value);
  const settled = useRef(value);
  const settle = useDebouncedCallback((text: string, page: string) => {
    // The page that was left stays mounted until the next one is loaded, and must not lead back to itself.
    if (window.location.pathname !== page) return;
    settled.current = text;
    onSettled(text);
  }, 300);
  useEffect(() => {
    // Changed from elsewhere, such as by the browser's way back.
    if (value !== settled.current) setDraft(value);
    settled.current = value;
  }, [value]);
  const field = { label, placeholder, value: draft, maxLength: 255 };
  const change = (text: string): void => {
    setDraft(text);
    settle(text.trim(), window.location.pathname);
  };
  if (!suggestions)
    return <TextInput type="search" {...field} onChange={(event) => change(event.currentTarget.value)} />;
  return (
    <Autocomplete
      {...field}
      data={suggestions}
      limit={20}
      clearable
      clearButtonProps={{ 'aria-label': `Clear ${label.toLowerCase()}` }}
      onChange={change}
    />
  );
}
