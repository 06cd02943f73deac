import { Button } from '@mantine/core';
import { useLayoutEffect, useRef, type ReactNode } from 'react';

type Props = {
  title: string;
  /** Without it, nothing but what is in the dialog closes it. */
  onClose?: (() => void) | undefined;
  children: ReactNode;
};

/** The browser's own dialog, for where the file of ours does not come: what is on the page stays. */
export function PlainDialog({ title, onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    // Gives the focus back, which leaving the page does not.
    return () => shown?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-label={title}
      className="plain-dialog"
      onCancel={(event) => {
        event.preventDefault();
        onClose?.();
      }}
    >
      <h2>{title}</h2>
      {children}
      {onClose && (
        <Button variant="default" mt="md" onClick={onClose}>
          Close
        </Button>
      )}
    </dialog>
  );
}
