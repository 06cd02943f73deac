import { Alert, Button, Checkbox, Group, InputBase, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { CopyButton } from './CopyField.tsx';
import { Dialog } from './Dialog.tsx';
import { Note, When } from './text.tsx';

type Props = {
  title: string;
  what: string;
  value: string;
  warnings?: readonly string[];
  children: ReactNode;
  onSaved: () => void;
};

export function SecretOnce({ title, what, value, warnings = [], children, onSaved }: Props) {
  const [isSaved, setIsSaved] = useState(false);
  return (
    <Dialog title={title}>
      <Stack>
        <Text size="sm" component="div">
          {children}
        </Text>
        <OnceField value={value} />
        {warnings.map((warning) => (
          <Alert key={warning} color="yellow" variant="outline" p="xs">
            {warning}
          </Alert>
        ))}
        <Group justify="space-between">
          <Checkbox
            label="I saved it in a safe place"
            checked={isSaved}
            onChange={(event) => setIsSaved(event.currentTarget.checked)}
          />
          <Group gap="sm">
            <CopyButton text={value} what={what} size="sm" variant={isSaved ? 'default' : 'filled'} />
            <Button disabled={!isSaved} variant={isSaved ? 'filled' : 'default'} onClick={onSaved}>
              Done
            </Button>
          </Group>
        </Group>
      </Stack>
    </Dialog>
  );
}

/** Characters per row in a narrow dialog. Not every browser can size a field to its text. */
const lettersPerRow = 44;

/** A whole secret or link that Runcost shows only once. Its Copy button is below. */
function OnceField({ value }: { value: string }) {
  return (
    <InputBase
      component="textarea"
      multiline
      label="Shown only once"
      value={value}
      readOnly
      rows={Math.ceil(value.length / lettersPerRow)}
      spellCheck={false}
      autoComplete="off"
      className="once-field"
      onFocus={(event) => event.currentTarget.select()}
    />
  );
}

type CreatedProps = { title: string; what: string; value: string; at: string | null; onClose: () => void };

/** A link or code that its creator can revoke. */
export function Created({ title, what, value, at, onClose }: CreatedProps) {
  return (
    <Dialog title={title} size="md" onClose={onClose}>
      <Stack>
        <OnceField value={value} />
        <Note>
          It works until {at === null ? 'somebody revokes it' : <When at={at} full />}. You can revoke it
          under Share, All share links.
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
