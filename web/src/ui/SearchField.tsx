import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useEffect, useId, useRef, useState } from 'react';

const searchIcon = <IconSearch size={14} stroke={1.75} aria-hidden />;

type Props = {
  label: string;
  placeholder?: string;
  value: string;
  suggestions?: string[];
  /** For a row of buttons: the placeholder replaces the label. */
  isCompact?: boolean;
  onSettled: (value: string) => void;
};

export function SearchField({
  label,
  placeholder = '',
  value,
  suggestions = [],
  isCompact = false,
  onSettled,
}: Props) {
  const [draft, setDraft] = useState(value);
  const settled = useRef(value);
  const listId = useId();
  const settle = useDebouncedCallback((text: string, page: string) => {
    // A page that was left stays mounted until the next one loads, and must not change the address.
    if (location.pathname !== page) return;
    settled.current = text;
    onSettled(text);
  }, 300);
  useEffect(() => {
    // The value changed elsewhere, such as by the browser's Back.
    if (value !== settled.current) setDraft(value);
    settled.current = value;
  }, [value]);
  return (
    <>
      <TextInput
        type="search"
        {...(isCompact
          ? { 'aria-label': label, size: 'xs', leftSection: searchIcon, className: 'compact-search' }
          : { label })}
        placeholder={placeholder}
        value={draft}
        maxLength={255}
        list={listId}
        onChange={({ currentTarget }) => {
          setDraft(currentTarget.value);
          settle(currentTarget.value.trim(), location.pathname);
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
