import { Button, Code, Group, List, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { api, ApiError } from '../../../api/client.ts';
import { Dialog } from '../../../ui/Dialog.tsx';
import { count, countOf } from '../../../ui/figures.ts';
import { FileInput } from '../../../ui/FileInput.tsx';
import { SmallButton } from '../../../ui/rights.tsx';
import { Note } from '../../../ui/text.tsx';
import { useChange } from '../../../ui/useChange.ts';

async function put(file: File, isDryRun: boolean) {
  const { data } = await api.PUT('/api/v1/ownership/csv', {
    params: { query: { dry_run: isDryRun, remove_all: !isDryRun } },
    headers: { 'content-type': 'text/csv' },
    body: await file.text(),
    bodySerializer: (text) => text,
  });
  return data!.data;
}

type Tried = Awaited<ReturnType<typeof put>>;

/** Replaces the written rules by a file, after a preview of the changes. */
export function ImportRules({ reason, refresh }: { reason: string | null; refresh: unknown[][] }) {
  const input = useRef<HTMLInputElement>(null);
  const [file, setFile] = useState<File | null>(null);
  const tried = useMutation({ mutationFn: (chosen: File) => put(chosen, true) });
  const replace = useChange({
    act: (chosen: File) => put(chosen, false),
    done: ({ rules }) => `Imported ${countOf(rules, 'rule')}.`,
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
      <FileInput ref={input} label="File of ownership rules" onFiles={([chosen]) => choose(chosen)} />
      {file && !tried.isPending && (
        <Dialog size="lg" title={`Import ${file.name}`} onClose={() => setFile(null)}>
          <Stack>
            {tried.error ? <Faults error={tried.error} /> : tried.data && <Changes tried={tried.data} />}
            <Group justify="flex-end">
              <Button variant="default" onClick={() => setFile(null)} data-autofocus>
                {tried.error ? 'Close' : 'Cancel'}
              </Button>
              {tried.data && !tried.error && (
                <Button
                  loading={replace.isPending}
                  onClick={() => replace.mutate(file, { onSettled: () => setFile(null) })}
                >
                  Replace rules
                </Button>
              )}
            </Group>
          </Stack>
        </Dialog>
      )}
    </>
  );
}

const maxShown = 10;

function Changes({ tried: { added, removed, unchanged, changes } }: { tried: Tried }) {
  return (
    <>
      <Text size="sm">
        Replaces the rules written here: {count(added)} added, {count(removed)} removed, {count(unchanged)}{' '}
        kept. Imported rules stay.
      </Text>
      {changes.length > 0 && (
        <List size="sm" listStyleType="none">
          {changes.slice(0, maxShown).map((change, index) => (
            <List.Item key={index}>
              <Text span fw={600} c={change.change === 'add' ? 'var(--mantine-color-text)' : 'dimmed'}>
                {change.change === 'add' ? 'Add' : 'Remove'}
              </Text>{' '}
              {[change.repository, change.workflow, change.label].filter(Boolean).join(', ')}{' '}
              {change.change === 'add' ? 'to' : 'from'} {change.owner}
            </List.Item>
          ))}
          {changes.length > maxShown && <List.Item>and {count(added + removed - maxShown)} more</List.Item>}
        </List>
      )}
    </>
  );
}

function Faults({ error }: { error: Error }) {
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
        </List>
      )}
      {faults.length === 0 && (
        <Note>
          The first line names the columns: kind, owner, repository, workflow, label, valid_from, valid_until.
          The CSV button downloads the current rules in this format.
        </Note>
      )}
    </>
  );
}
