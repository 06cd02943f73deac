import { Anchor, Code, Group, Loader, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { Confirm } from '../../../ui/Confirm.tsx';
import { CopyField } from '../../../ui/CopyField.tsx';
import { Dialog } from '../../../ui/Dialog.tsx';
import { Empty } from '../../../ui/Empty.tsx';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Needs } from '../../../ui/Needs.tsx';
import { PageTitle } from '../../../ui/PageTitle.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { AllowedButton, RightsNote, useWhyNot } from '../../../ui/rights.tsx';
import { useChange } from '../../../ui/useChange.ts';
import { When } from '../../../ui/When.tsx';
import { breaking, Columns, WideTable } from '../../../ui/WideTable.tsx';
import { sourcesKey, sourcesQuery, type Source } from '../../tenancy/queries.ts';
import { ConnectSource } from './ConnectSource.tsx';
import { ReachNote } from './ReachNote.tsx';
import { SourceCredentials } from './SourceCredentials.tsx';
import { SetupSteps, sourceKindsQuery, useSourceKind, type SourceKind } from './sourceKinds.tsx';
import { TelemetryHowTo } from './TelemetryHowTo.tsx';

type Opened = { what: 'steps' | 'credentials' | 'delete'; source: Source } | null;

/** Waits for the provider kinds, because late buttons would move the rest of the page. */
export function Page() {
  const kinds = useQuery(sourceKindsQuery);
  return (
    <>
      <PageTitle title="Sources" about="Connect your CI. Each source sends its runs to Runcost." />
      <Needs role="viewer" scope="admin" title="Sources: no access">
        <Loaded query={kinds} height={320}>
          {(list) => <Sources kinds={list} />}
        </Loaded>
      </Needs>
    </>
  );
}

function Sources({ kinds }: { kinds: SourceKind[] }) {
  const sources = useQuery(sourcesQuery);
  const [connecting, setConnecting] = useState<SourceKind | 'telemetry' | null>(null);
  const [opened, setOpened] = useState<Opened>(null);
  const reason = useWhyNot()({ role: 'admin', scope: 'admin' });
  const close = () => setOpened(null);
  const toSources = () => setConnecting(null);
  if (connecting === 'telemetry') return <TelemetryHowTo onDone={toSources} />;
  if (connecting) return <ConnectSource kind={connecting} onDone={toSources} />;
  return (
    <Panel
      title="All sources"
      aside={
        <Group gap="xs">
          {kinds.map((kind, index) => (
            <AllowedButton
              key={kind.kind}
              size="compact-md"
              variant={index === 0 ? 'filled' : 'default'}
              reason={reason}
              onClick={() => setConnecting(kind)}
            >
              Connect {kind.title}
            </AllowedButton>
          ))}
          <AllowedButton
            size="compact-md"
            variant="default"
            reason={null}
            onClick={() => setConnecting('telemetry')}
          >
            OpenTelemetry
          </AllowedButton>
        </Group>
      }
    >
      <Text size="sm" c="dimmed">
        A provider reports each job as it happens, and an OpenTelemetry collector sends its traces. Any other
        CI can report its runs to <Code>POST /api/v1/runs</Code> (
        <Anchor href="/docs" underline="always">
          API documentation
        </Anchor>
        ).
      </Text>
      <RightsNote reason={reason} />
      <Loaded query={sources} height={200}>
        {(list) =>
          list.length === 0 ? (
            <Empty title="No sources yet">
              Connect your CI in three steps, in about 2 minutes. You need permission to add webhooks there.
            </Empty>
          ) : (
            <SourceTable sources={list} reason={reason} onOpen={setOpened} />
          )
        }
      </Loaded>
      {opened?.what === 'steps' && <StepsAgain source={opened.source} onClose={close} />}
      {opened?.what === 'credentials' && <SourceCredentials source={opened.source} onClose={close} />}
      {opened?.what === 'delete' && <DeleteSource source={opened.source} onClose={close} />}
    </Panel>
  );
}

type TableProps = { sources: Source[]; reason: string | null; onOpen: (opened: Opened) => void };

function SourceTable({ sources, reason, onOpen }: TableProps) {
  return (
    <WideTable label="Sources" minWidth={720}>
      <Columns texts={['Source', 'Provider', 'Last event', 'Created', 'Actions']} />
      <tbody>
        {sources.map((source) => (
          <SourceRow key={source.id} source={source} reason={reason} onOpen={onOpen} />
        ))}
      </tbody>
    </WideTable>
  );
}

type RowProps = { source: Source; reason: string | null; onOpen: (opened: Opened) => void };

function SourceRow({ source, reason, onOpen }: RowProps) {
  const kind = useSourceKind(source);
  return (
    <tr>
      <th scope="row" style={breaking}>
        {source.name}
      </th>
      <td>{kind?.title ?? source.kind}</td>
      <td>
        {source.last_event_at === null ? (
          <Group gap={6} wrap="nowrap">
            <Loader size={14} aria-hidden />
            Waiting for the first event
          </Group>
        ) : (
          <When at={source.last_event_at} />
        )}
      </td>
      <td>
        <When at={source.created_at} />
      </td>
      <td>
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
          {kind?.has_backfills && (
            <AllowedButton
              size="compact-sm"
              variant="default"
              reason={reason}
              aria-label={`Credentials of ${source.name}`}
              onClick={() => onOpen({ what: 'credentials', source })}
            >
              {' '}
              Credentials{' '}
            </AllowedButton>
          )}
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
      </td>
    </tr>
  );
}

function StepsAgain({ source, onClose }: { source: Source; onClose: () => void }) {
  const kind = useSourceKind(source);
  if (!kind) return null;
  const { title, how_to_connect: how } = kind;
  return (
    <Dialog onClose={onClose} title={`Setup of ${source.name}`} size="xl">
      <Stack>
        <ReachNote url={source.ingest_url} sender={how.hosted_title} />
        <CopyField label={how.url_label} what="the URL" value={source.ingest_url} />
        <Text size="sm">
          We showed the secret when you created the source. If you lost it, delete the source and connect{' '}
          {title} again. Recorded runs stay.
        </Text>
        <SetupSteps kind={kind} />
      </Stack>
    </Dialog>
  );
}

function DeleteSource({ source, onClose }: { source: Source; onClose: () => void }) {
  const kind = useSourceKind(source);
  const remove = useChange({
    act: async () => {
      await api.DELETE('/api/v1/sources/{id}', { params: { path: { id: source.id } } });
    },
    done: `${source.name} was deleted.`,
    refresh: [sourcesKey],
  });
  return (
    <Confirm
      title="Delete this source?"
      label="Delete source"
      isBusy={remove.isPending}
      onClose={onClose}
      onConfirm={() => remove.mutate(undefined, { onSettled: onClose })}
    >
      We reject events for {source.name} from now on. Recorded runs stay. Remove the webhook in{' '}
      {kind?.title ?? source.kind} too.
    </Confirm>
  );
}
