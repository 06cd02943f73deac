import { Button, Group, Stack, type MantineSize } from '@mantine/core';
import type { ReactNode } from 'react';
import { Dialog } from './Dialog.tsx';
import { FormError } from './FormError.tsx';

type Props = {
  title: string;
  size?: MantineSize;
  label: string;
  isDisabled?: boolean;
  isBusy: boolean;
  error: Error | null;
  /** The fields that show their own errors. */
  fields: string[];
  children: ReactNode;
  onSubmit: () => void;
  onClose: () => void;
};

export function FormDialog(props: Props) {
  const {
    title,
    size,
    label,
    isDisabled = false,
    isBusy,
    error,
    fields,
    children,
    onSubmit,
    onClose,
  } = props;
  return (
    <Dialog {...(size ? { size } : {})} onClose={onClose} title={title}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit();
        }}
      >
        <Stack>
          {children}
          <FormError error={error} fields={fields} />
          <Group justify="flex-end" className="dialog-actions">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" disabled={isDisabled} loading={isBusy}>
              {label}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
