import { Button, Group, Stack, type MantineSize } from '@mantine/core';
import type { ReactNode } from 'react';
import { Dialog } from './Dialog.tsx';
import { FormFault } from './FormFault.tsx';

type Props = {
  title: string;
  size?: MantineSize;
  /** What the button says. */
  deed: string;
  isDisabled?: boolean;
  isBusy: boolean;
  error: Error | null;
  /** Those that show their own faults. */
  fields: string[];
  children: ReactNode;
  onSubmit: () => void;
  onClose: () => void;
};

/** A dialog with a form, what the server says is wrong with it, and a way out. */
export function FormDialog(props: Props) {
  const { title, size, deed, isDisabled = false, isBusy, error, fields, children, onSubmit, onClose } = props;
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
          <FormFault error={error} fields={fields} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" disabled={isDisabled} loading={isBusy}>
              {deed}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
