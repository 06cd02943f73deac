import { Button, Group, Stack, type MantineSize } from '@mantine/core';
import { useId, type ReactNode } from 'react';
import { Dialog } from './Dialog.tsx';
import { FormError } from './FormError.tsx';
import { Note } from './Note.tsx';

type Props = {
  title: string;
  size?: MantineSize;
  label: string;
  isDisabled?: boolean;
  /** What the form still needs. Shown beside its button, which is disabled until then. */
  missing?: string | null;
  change: {
    isPending: boolean;
    error: Error | null;
    mutate: (input: never, options: { onSuccess: () => void }) => void;
  };
  /** Fields that show their own errors. */
  fields: string[];
  children: ReactNode;
  /** By default, it makes the change and then closes. */
  onSubmit?: () => void;
  onClose: () => void;
};

export function FormDialog(props: Props) {
  const {
    title,
    size,
    label,
    isDisabled = false,
    missing = null,
    change,
    fields,
    children,
    onClose,
    onSubmit = () => change.mutate(undefined as never, { onSuccess: onClose }),
  } = props;
  const missingId = useId();
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
          <FormError error={change.error} fields={fields} />
          <Group justify="flex-end" className="dialog-actions">
            {missing !== null && (
              <Note id={missingId} className="dialog-missing">
                {missing}
              </Note>
            )}
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button
              type="submit"
              disabled={isDisabled || missing !== null}
              aria-describedby={missing === null ? undefined : missingId}
              loading={change.isPending}
            >
              {label}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
