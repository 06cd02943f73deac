import { Button } from '@mantine/core';
import { useLayoutEffect, useRef, type ReactNode } from 'react';

type Props = {
  title: string;
  /** Without it, only the dialog's content can close it. */
  onClose?: (() => void) | undefined;
  children: ReactNode;
};

/** The browser's own dialog, used if our dialog's file fails to load. */
export function PlainDialog({ title, onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    // Returns the focus, which unmounting alone does not.
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
