import { Button, Group, Text } from '@mantine/core';
import { useEffect, useRef, type ReactNode } from 'react';
import { LeaveGuard } from './LeaveGuard.tsx';
import { Note } from './text.tsx';

type Props = {
  isDirty: boolean;
  isBusy: boolean;
  onDiscard: () => void;
  children?: ReactNode;
};

/** The end of a form on a page with several. It saves only this form, and guards unsaved changes. */
export function SaveRow({ isDirty, isBusy, onDiscard, children }: Props) {
  const row = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!isDirty) return undefined;
    const own = row.current!;
    const place = own.closest('form')!.parentElement!;
    return () => {
      // The pressed button is gone, and saved values may render a new form in the same place.
      const { activeElement: focused } = document;
      if (focused === document.body || own.contains(focused))
        (place.querySelector<HTMLElement>('[data-save-row]') ?? place.querySelector('button'))?.focus();
    };
  }, [isDirty]);
  return (
    <Group ref={row} data-save-row tabIndex={-1} role="group" aria-label="Changes">
      {children && (
        <Text size="sm" c="dimmed" component="div">
          {children}
        </Text>
      )}
      <Group gap="sm" ms="auto">
        {/* A fixed width, so that the row does not wrap when the text appears. */}
        <Note role="status" miw={110}>
          {isDirty && 'Unsaved changes'}
        </Note>
        {/* Hidden but in place, so that the first keystroke moves nothing. */}
        <Button
          variant="default"
          disabled={isBusy}
          onClick={onDiscard}
          style={isDirty ? undefined : { visibility: 'hidden' }}
        >
          Discard
        </Button>
        {/* Disabled, so that Enter does not save an unchanged form. */}
        <Button type="submit" disabled={!isDirty} loading={isBusy}>
          Save
        </Button>
      </Group>
      <LeaveGuard isDirty={isDirty && !isBusy} />
    </Group>
  );
}
