import { Button, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { LeaveGuard } from './LeaveGuard.tsx';

type Props = {
  isDirty: boolean;
  isBusy: boolean;
  onDiscard: () => void;
  /** A word about what is saved, or other actions. */
  children?: ReactNode;
};

/** The end of a form on a page with several: it offers to save only what was changed here, and guards it. */
export function SaveRow({ isDirty, isBusy, onDiscard, children }: Props) {
  return (
    // It takes no room while it says nothing.
    <Group justify="space-between" {...(!isDirty && !children && { pos: 'absolute' })}>
      {children ? (
        <Text size="sm" c="dimmed" component="div">
          {children}
        </Text>
      ) : (
        <span />
      )}
      <Group gap="sm" role="status" {...(!isDirty && { pos: 'absolute' })}>
        {isDirty && (
          <>
            <Text size="sm" c="dimmed">
              Unsaved changes
            </Text>
            <Button variant="default" disabled={isBusy} onClick={onDiscard}>
              Discard
            </Button>
            <Button type="submit" loading={isBusy}>
              Save
            </Button>
          </>
        )}
      </Group>
      <LeaveGuard isDirty={isDirty && !isBusy} />
    </Group>
  );
}
