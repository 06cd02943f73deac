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

/** The end of a form on a page with several: it saves only what was changed here, and guards it. */
export function SaveRow({ isDirty, isBusy, onDiscard, children }: Props) {
  return (
    <Group>
      {children && (
        <Text size="sm" c="dimmed" component="div">
          {children}
        </Text>
      )}
      <Group gap="sm" ms="auto">
        <Text size="sm" c="dimmed" role="status">
          {isDirty && 'Unsaved changes'}
        </Text>
        {isDirty && (
          <Button variant="default" disabled={isBusy} onClick={onDiscard}>
            Discard
          </Button>
        )}
        <Button type="submit" disabled={!isDirty} loading={isBusy}>
          Save
        </Button>
      </Group>
      <LeaveGuard isDirty={isDirty && !isBusy} />
    </Group>
  );
}
