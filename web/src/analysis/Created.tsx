import { Button, Stack, Text } from '@mantine/core';
import { CopyField } from '../ui/CopyField.tsx';
import { Dialog } from '../ui/Dialog.tsx';
import { When } from '../ui/When.tsx';

type CreatedProps = {
  title: string;
  what: string;
  value: string;
  /** When it ends; null for never. */
  at: string | null;
  onClose: () => void;
};

export function Created({ title, what, value, at, onClose }: CreatedProps) {
  return (
    <Dialog title={title} size="md" onClose={onClose}>
      <Stack>
        <CopyField label="Shown only once" what={what} value={value} />
        <Text size="sm" c="dimmed">
          It works until {at === null ? 'somebody revokes it' : <When at={at} full />}. You can revoke it in
          Settings, Share links.
        </Text>
        <Button onClick={onClose} ms="auto">
          Done
        </Button>
      </Stack>
    </Dialog>
  );
}
