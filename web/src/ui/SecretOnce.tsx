import { Alert, Button, Checkbox, Group, Stack, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { CopyField } from './CopyField.tsx';
import { Dialog } from './Dialog.tsx';

type Props = {
  title: string;
  /** As in `Copy the secret`. */
  what: string;
  value: string;
  warnings?: readonly string[];
  /** What it is for, and what to do with it. */
  children: ReactNode;
  onKept: () => void;
};

/** Shows what is never shown again, and closes only when it has been kept. */
export function SecretOnce({ title, what, value, warnings = [], children, onKept }: Props) {
  const [isKept, setIsKept] = useState(false);
  return (
    <Dialog title={title}>
      <Stack>
        <Text size="sm" component="div">
          {children}
        </Text>
        <CopyField label="Shown this once" what={what} value={value} />
        {warnings.map((warning) => (
          <Alert key={warning} color="yellow" variant="outline" p="xs">
            {warning}
          </Alert>
        ))}
        <Group justify="space-between">
          <Checkbox
            label="I have kept it in a safe place"
            checked={isKept}
            onChange={(event) => setIsKept(event.currentTarget.checked)}
          />
          <Button disabled={!isKept} onClick={onKept}>
            Done
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
