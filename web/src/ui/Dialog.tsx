import type { ModalProps } from '@mantine/core';
import { lazy, Suspense, useEffect, useState } from 'react';
import { Boundary } from './Boundary.tsx';
import { PlainDialog } from './PlainDialog.tsx';

// Loaded with the first dialog: no page waits for it.
const Modal = lazy(() => import('./modal.ts'));

type Props = Omit<ModalProps, 'opened' | 'onClose'> & {
  title: string;
  /** Without it, nothing but what is in the dialog closes it. */
  onClose?: () => void;
};

/** A dialog over the page, for as long as it is rendered. */
export function Dialog({ onClose, ...props }: Props) {
  useFocusReturned();
  const isClosable = onClose !== undefined;
  return (
    <Boundary
      fallback={() => (
        <PlainDialog title={props.title} onClose={onClose}>
          {props.children}
        </PlainDialog>
      )}
    >
      <Suspense fallback={null}>
        <Modal
          opened
          returnFocus={false}
          onClose={onClose ?? (() => undefined)}
          withCloseButton={isClosable}
          closeOnEscape={isClosable}
          closeOnClickOutside={isClosable}
          closeButtonProps={{ 'aria-label': 'Close' }}
          size="lg"
          {...props}
        />
      </Suspense>
    </Boundary>
  );
}

/** Afterwards what had the focus has it again; where that is gone, the page. A modal that is taken away does not see to it. */
function useFocusReturned(): void {
  const [opener] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      const target = opener?.isConnected ? opener : document.querySelector('#content');
      if (target instanceof HTMLElement) target.focus({ preventScroll: true });
    },
    [opener],
  );
}
