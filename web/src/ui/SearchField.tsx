import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useId, useRef, useState } from 'react';

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
export function SearchField({ label, placeholder = '', value, suggestions = [], onSettled }: Props) {
  const [draft, setDraft] = useState(value);
  const settled = useRef(value);
  const listId = useId();
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
  return (
    <>
      <TextInput
        type="search"
        label={label}
        placeholder={placeholder}
        value={draft}
        maxLength={255}
        list={listId}
        onChange={({ currentTarget }) => {
          setDraft(currentTarget.value);
          settle(currentTarget.value.trim(), window.location.pathname);
        }}
      />
      <datalist id={listId}>
        {suggestions.map((suggestion) => (
          <option key={suggestion} value={suggestion} />
        ))}
      </datalist>
    </>
  );
}
