import { Button, Group, Stack } from '@mantine/core';
import { CopyButton } from '../ui/CopyField.tsx';
import { Dialog } from '../ui/Dialog.tsx';
import { Note } from '../ui/Note.tsx';
import { OnceField } from '../ui/OnceField.tsx';
import { When } from '../ui/When.tsx';

type CreatedProps = {
  title: string;
  what: string;
  value: string;
  at: string | null;
  onClose: () => void;
};

export function Created({ title, what, value, at, onClose }: CreatedProps) {
  return (
    <Dialog title={title} size="md" onClose={onClose}>
      <Stack>
        <OnceField value={value} />
        <Note>
          It works until {at === null ? 'somebody revokes it' : <When at={at} full />}. You can revoke it in
          Settings, Share links.
        </Note>
        <Group gap="sm" justify="flex-end">
          <CopyButton text={value} what={what} size="sm" variant="filled" />
          <Button variant="default" onClick={onClose}>
            Done
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
