import { Button, Group, type ModalProps, Stack, Text } from '@mantine/core';
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { Boundary } from './Boundary.tsx';
import { FrameSaysWhy } from './Loaded.tsx';
import { PlainDialog } from './PlainDialog.tsx';

// Loaded with the first dialog, so that pages do not wait for it.
const Modal = lazy(() => import('./modal.ts'));

type Props = Omit<ModalProps, 'opened' | 'onClose'> & {
  title: string;
  /** Without it, only the dialog's content can close it. */
  onClose?: () => void;
};

export function Dialog({ onClose, children, ...props }: Props) {
  useFocusReturned();
  const isClosable = onClose !== undefined;
  const close = () => {
    // Escape first closes popovers over the dialog, such as a calendar.
    if (!document.querySelector('.mantine-Popover-dropdown')) onClose?.();
  };
  // The dialog covers the frame's own notices.
  const content = <FrameSaysWhy value={false}>{children}</FrameSaysWhy>;
  return (
    <Boundary
      fallback={() => (
        <PlainDialog title={props.title} onClose={onClose}>
          {content}
        </PlainDialog>
      )}
    >
      <Suspense fallback={null}>
        <Modal
          opened
          returnFocus={false}
          onClose={close}
          withCloseButton={isClosable}
          closeOnEscape={isClosable}
          closeOnClickOutside={isClosable}
          closeButtonProps={{ 'aria-label': 'Close' }}
          size="lg"
          {...props}
        >
          {content}
        </Modal>
      </Suspense>
    </Boundary>
  );
}

/** The last focused element. A button that opens a dialog can be disabled while it waits, and then loses the focus. */
let lastFocused: EventTarget | null = null;
if (typeof document !== 'undefined')
  document.addEventListener('focusin', ({ target }) => {
    lastFocused = target;
  });

function findOpener(): Element | null {
  const { activeElement, body } = document;
  const focused = activeElement === body ? lastFocused : activeElement;
  if (!(focused instanceof Element)) return null;
  // A menu closes when its item opens the dialog.
  const menu = focused.closest('[role="menu"]');
  return menu ? document.querySelector(`[aria-controls="${menu.id}"]`) : focused;
}

/** Returns the focus to the opener, or to the page if it is gone. A removed modal does not do this itself. */
function useFocusReturned(): void {
  const [opener] = useState(findOpener);
  useEffect(
    () => () => {
      const target = opener?.isConnected ? opener : document.querySelector('#content');
      if (target instanceof HTMLElement) target.focus({ preventScroll: true });
    },
    [opener],
  );
}

type ConfirmProps = {
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

export function Confirm(props: ConfirmProps) {
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
