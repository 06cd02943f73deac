import { Anchor, Code, Group, Loader, Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { Confirm } from '../../shown/Confirm.tsx';
import { CopyField } from '../../shown/CopyField.tsx';
import { Dialog } from '../../shown/Dialog.tsx';
import { Empty } from '../../shown/Empty.tsx';
import { Loaded } from '../../shown/Loaded.tsx';
import { Panel } from '../../shown/Panel.tsx';
import { AllowedButton, RightsNote, useWhyNot } from '../../shown/rights.tsx';
import { useChange } from '../../shown/useChange.ts';
import { When } from '../../shown/When.tsx';
import { breaking, Columns, WideTable } from '../../shown/WideTable.tsx';
import { AtGitHub, ReachNote } from './AtGitHub.tsx';
import { ConnectGitHub } from './ConnectGitHub.tsx';
import { sourcesKey, sourcesQuery, type Source } from './queries.ts';

type Opened = { what: 'steps' | 'delete'; source: Source } | null;

export function SourcesPart() {
  const sources = useQuery(sourcesQuery);
  const [isConnecting, setIsConnecting] = useState(false);
  const [opened, setOpened] = useState<Opened>(null);
  const reason = useWhyNot()({ role: 'admin', scope: 'admin' });
  const close = () => setOpened(null);
  if (isConnecting) return <ConnectGitHub onDone={() => setIsConnecting(false)} />;
  return (
    <Panel
      title="Sources"
      aside={
        <AllowedButton size="compact-md" reason={reason} onClick={() => setIsConnecting(true)}>
          Connect GitHub
        </AllowedButton>
      }
    >
      <Text size="sm" c="dimmed">
        Where runs come from. GitHub tells each job as it happens; any other CI can report its runs to{' '}
        <Code>POST /api/v1/runs</Code> (
        <Anchor href="/docs" underline="always">
          API documentation
        </Anchor>
        ).
      </Text>
      <RightsNote reason={reason} />
      <Loaded query={sources} height={200}>
        {(list) =>
          list.length === 0 ? (
            <Empty title="No source yet">
              Connect GitHub: three steps, about two minutes. You need to be an owner of the organization at
              GitHub, or an admin of a repository.
            </Empty>
          ) : (
            <SourceTable sources={list} reason={reason} onOpen={setOpened} />
          )
        }
      </Loaded>
      {opened?.what === 'steps' && <StepsAgain source={opened.source} onClose={close} />}
      {opened?.what === 'delete' && <DeleteSource source={opened.source} onClose={close} />}
    </Panel>
  );
}

type TableProps = { sources: Source[]; reason: string | null; onOpen: (opened: Opened) => void };

function SourceTable({ sources, reason, onOpen }: TableProps) {
  return (
    <WideTable label="Sources" minWidth={720}>
      <Columns texts={['Source', 'Kind', 'Last event', 'Created', 'Change']} />
      <Table.Tbody>
        {sources.map((source) => (
          <SourceRow key={source.id} source={source} reason={reason} onOpen={onOpen} />
        ))}
      </Table.Tbody>
    </WideTable>
  );
}

type RowProps = { source: Source; reason: string | null; onOpen: (opened: Opened) => void };

function SourceRow({ source, reason, onOpen }: RowProps) {
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={500} style={breaking}>
        {source.name}
      </Table.Th>
      <Table.Td>{source.kind}</Table.Td>
      <Table.Td>
        {source.last_event_at === null ? (
          <Group gap={6} wrap="nowrap">
            <Loader size={14} aria-hidden />
            waits for the first
          </Group>
        ) : (
          <When at={source.last_event_at} />
        )}
      </Table.Td>
      <Table.Td>
        <When at={source.created_at} />
      </Table.Td>
      <Table.Td>
        <Group gap="xs" wrap="nowrap">
          <AllowedButton
            size="compact-sm"
            variant="default"
            reason={null}
            aria-label={`Setup of ${source.name}`}
            onClick={() => onOpen({ what: 'steps', source })}
          >
            Setup
          </AllowedButton>
          <AllowedButton
            size="compact-sm"
            variant="default"
            reason={reason}
            aria-label={`Delete ${source.name}`}
            onClick={() => onOpen({ what: 'delete', source })}
          >
            Delete
          </AllowedButton>
        </Group>
      </Table.Td>
    </Table.Tr>
  );
}

/** What to do at GitHub, for a source whose secret has been shown already. */
function StepsAgain({ source, onClose }: { source: Source; onClose: () => void }) {
  return (
    <Dialog onClose={onClose} title={`Setup of ${source.name}`} size="xl">
      <Stack>
        <ReachNote url={source.ingest_url} />
        <CopyField label="Payload URL" what="the payload URL" value={source.ingest_url} />
        <Text size="sm">
          The secret was shown when the source was created. If it is lost, delete the source and connect
          GitHub again: what has been recorded stays.
        </Text>
        <AtGitHub />
      </Stack>
    </Dialog>
  );
}

function DeleteSource({ source, onClose }: { source: Source; onClose: () => void }) {
  const remove = useChange({
    act: async () => {
      await api.DELETE('/api/v1/sources/{id}', { params: { path: { id: source.id } } });
    },
    done: `${source.name} has been deleted.`,
    refresh: [sourcesKey],
  });
  return (
    <Confirm
      title="Delete this source?"
      deed="Delete the source"
      isBusy={remove.isPending}
      onClose={onClose}
      onConfirm={() => remove.mutate(undefined, { onSettled: onClose })}
    >
      Events for {source.name} are refused from this moment on; what they recorded stays. Take the webhook
      away at GitHub as well.
    </Confirm>
  );
}
