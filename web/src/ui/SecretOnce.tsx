import { Alert, Button, Checkbox, Group, Stack, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { CopyField } from './CopyField.tsx';
import { Dialog } from './Dialog.tsx';

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
        <CopyField label="Shown only once" what={what} value={value} />
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
          <Button disabled={!isSaved} onClick={onSaved}>
            Done
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
