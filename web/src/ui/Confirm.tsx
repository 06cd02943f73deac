import { Button, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Dialog } from './Dialog.tsx';

type Props = {
  title: string;
  label: string;
  children: ReactNode;
  isDisabled?: boolean;
  isBusy: boolean;
  onConfirm: () => void;
  onClose: () => void;
};

export function Confirm({ title, label, children, isDisabled = false, isBusy, onConfirm, onClose }: Props) {
  return (
    <Dialog size="md" onClose={onClose} title={title}>
      <Stack>
        <Text size="sm" component="div" style={{ overflowWrap: 'anywhere' }}>
          {children}
        </Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            Cancel
          </Button>
          <Button color="red.9" disabled={isDisabled} loading={isBusy} onClick={onConfirm}>
            {label}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
