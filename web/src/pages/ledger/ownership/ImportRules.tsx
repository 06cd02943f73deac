import { List, Text } from '@mantine/core';
import { api } from '../../../api/client.ts';
import { count, countOf } from '../../../ui/figures.ts';
import { ImportFile, maxShown } from '../../../ui/ImportFile.tsx';

async function put(body: string, isDryRun: boolean) {
  const { data } = await api.PUT('/api/v1/ownership/csv', {
    params: { query: { dry_run: isDryRun, remove_all: !isDryRun } },
    headers: { 'content-type': 'text/csv' },
    body,
    bodySerializer: (text) => text,
  });
  return data!.data;
}

type Tried = Awaited<ReturnType<typeof put>>;

/** Replaces the written rules by a file. */
export function ImportRules({ reason, refresh }: { reason: string | null; refresh: unknown[][] }) {
  return (
    <ImportFile
      reason={reason}
      file="File of ownership rules"
      label="Replace rules"
      send={put}
      done={({ rules }) => `Imported ${countOf(rules, 'rule')}.`}
      refresh={refresh}
      hint="The first line names the columns: kind, owner, repository, workflow, label, valid_from, valid_until. The CSV button downloads the current rules in this format."
    >
      {(tried) => <Changes tried={tried} />}
    </ImportFile>
  );
}

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
