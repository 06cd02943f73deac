import { Alert, Button, Checkbox, Group, Stack, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { CopyButton } from './CopyField.tsx';
import { Dialog } from './Dialog.tsx';
import { OnceField } from './OnceField.tsx';

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
