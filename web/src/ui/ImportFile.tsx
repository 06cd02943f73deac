import { Button, Code, Group, List, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useRef, useState, type ReactNode } from 'react';
import { ApiError } from '../api/client.ts';
import { Dialog } from './Dialog.tsx';
import { FileInput } from './FileInput.tsx';
import { SmallButton } from './rights.tsx';
import { Note } from './text.tsx';
import { useChange } from './useChange.ts';

type Props<Tried> = {
  reason: string | null;
  /** What the file is, for its input. */
  file: string;
  label: string;
  send: (text: string, isDryRun: boolean) => Promise<Tried>;
  done: (imported: Tried) => string;
  refresh: unknown[][];
  /** Which columns a file has. */
  hint: ReactNode;
  children: (tried: Tried) => ReactNode;
};

/** The most lines that a dialog shows. */
export const maxShown = 10;

/** A button that imports a CSV file, after a preview of the changes. */
export function ImportFile<Tried>(props: Props<Tried>) {
  const { reason, file: what, label, send, done, refresh, hint, children } = props;
  const input = useRef<HTMLInputElement>(null);
  const [file, setFile] = useState<File | null>(null);
  const tried = useMutation({ mutationFn: async (chosen: File) => send(await chosen.text(), true) });
  const change = useChange({
    act: async (chosen: File) => send(await chosen.text(), false),
    done,
    refresh,
  });
  const choose = (chosen: File | undefined): void => {
    if (!chosen) return;
    setFile(chosen);
    tried.mutate(chosen);
  };
  return (
    <>
      <SmallButton reason={reason} onClick={() => input.current?.click()}>
        Import CSV
      </SmallButton>
      <FileInput ref={input} label={what} onFiles={([chosen]) => choose(chosen)} />
      {file && !tried.isPending && (
        <Dialog title={`Import ${file.name}`} onClose={() => setFile(null)}>
          <Stack>
            {tried.error ? <Faults error={tried.error} hint={hint} /> : tried.data && children(tried.data)}
            <Group justify="flex-end">
              <Button variant="default" onClick={() => setFile(null)} data-autofocus>
                {tried.error ? 'Close' : 'Cancel'}
              </Button>
              {tried.data && !tried.error && (
                <Button
                  loading={change.isPending}
                  onClick={() => change.mutate(file, { onSettled: () => setFile(null) })}
                >
                  {label}
                </Button>
              )}
            </Group>
          </Stack>
        </Dialog>
      )}
    </>
  );
}

function Faults({ error, hint }: { error: Error; hint: ReactNode }) {
  const faults = error instanceof ApiError ? Object.entries(error.fields) : [];
  return (
    <>
      <Text size="sm" c="var(--mantine-color-error)">
        {faults.length === 0 ? error.message : 'Nothing was changed. Correct these lines and try again:'}
      </Text>
      {faults.length > 0 && (
        <List size="sm">
          {faults.slice(0, maxShown).map(([path, message]) => (
            <List.Item key={path}>
              <Code>{path}</Code> {message}
            </List.Item>
          ))}
          {faults.length > maxShown && <List.Item>and {faults.length - maxShown} more</List.Item>}
        </List>
      )}
      {faults.length === 0 && <Note>{hint}</Note>}
    </>
  );
}
