import { Button, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Dialog } from './Dialog.tsx';

type Props = {
  title: string;
  label: string;
  children: ReactNode;
  isDisabled?: boolean;
  /** A less drastic alternative, if there is one. */
  instead?: { label: string; onClick: () => void; isBusy: boolean } | undefined;
  change: {
    isPending: boolean;
    mutate: (input: never, options: { onSettled: () => void }) => void;
  };
  /** By default, it makes the change and then closes. */
  onConfirm?: () => void;
  onClose: () => void;
};

export function Confirm(props: Props) {
  const { title, label, children, isDisabled = false, instead, change, onClose } = props;
  const isBusy = change.isPending;
  const onConfirm = props.onConfirm ?? (() => change.mutate(undefined as never, { onSettled: onClose }));
  return (
    <Dialog size="md" onClose={onClose} title={title}>
      <Stack>
        <Text size="sm" component="div" style={{ overflowWrap: 'anywhere' }}>
          {children}
        </Text>
        <Group justify="flex-end" {...(instead && { className: 'three-answers' })}>
          <Button variant="default" onClick={onClose} data-autofocus>
            Cancel
          </Button>
          {instead && (
            <Button variant="default" disabled={isBusy} loading={instead.isBusy} onClick={instead.onClick}>
              {instead.label}
            </Button>
          )}
          <Button
            color="red.9"
            disabled={isDisabled || instead?.isBusy === true}
            loading={isBusy}
            onClick={onConfirm}
          >
            {label}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
