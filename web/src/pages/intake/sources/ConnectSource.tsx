import { Button, Group, Stack, Stepper, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { sourcesKey, type Source, type SourceKind } from '../../../api/queries.ts';
import { useOrganizationId } from '../../../api/session.ts';
import { CopyField } from '../../../ui/CopyField.tsx';
import { StepForm } from '../../../ui/Form.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { SmallButton } from '../../../ui/rights.tsx';
import { FirstEvent } from './FirstEvent.tsx';
import { recentRunsQuery } from './queries.ts';
import { ReachNote } from './ReachNote.tsx';
import { SetupSteps } from './sourceKinds.tsx';

type Connected = { source: Source; secret: string; knownRuns: ReadonlySet<string> };

export function ConnectSource({ kind, onDone }: { kind: SourceKind; onDone: () => void }) {
  const { title } = kind;
  const [connected, setConnected] = useState<Connected | null>(null);
  const [isAdded, setIsAdded] = useState(false);
  const step = connected === null ? 0 : isAdded ? 2 : 1;
  return (
    <Panel
      title={`Connect ${title}`}
      aside={<SmallButton onClick={onDone}>{connected ? 'Back to sources' : 'Cancel'}</SmallButton>}
    >
      <Stepper active={step} size="sm" allowNextStepsSelect={false}>
        <Stepper.Step label="Create" description="a source" />
        <Stepper.Step label="Add" description={`a webhook in ${title}`} />
        <Stepper.Step label="Check" description="for the first event" />
      </Stepper>
      {connected === null && <NewSource kind={kind} onCreated={setConnected} />}
      {connected !== null && !isAdded && (
        <WebhookThere kind={kind} {...connected} onAdded={() => setIsAdded(true)} />
      )}
      {connected !== null && isAdded && (
        <FirstEvent
          kind={kind}
          source={connected.source}
          knownRuns={connected.knownRuns}
          onBack={() => setIsAdded(false)}
          onDone={onDone}
        />
      )}
    </Panel>
  );
}

type NewProps = { kind: SourceKind; onCreated: (connected: Connected) => void };

function NewSource({ kind, onCreated }: NewProps) {
  const { title } = kind;
  const orgId = useOrganizationId();
  const queryClient = useQueryClient();
  return (
    <StepForm
      label="Create source"
      maw={520}
      initial={{ name: title }}
      fields={[
        <Text size="sm">
          A source is an address on this server that receives events from {title}. A secret proves that they
          come from {title}. The source reads nothing in {title} and needs no permissions there.
        </Text>,
        {
          name: 'name',
          label: 'Name',
          description: 'For example, the name of your organization or group.',
          required: true,
          maxLength: 255,
        },
      ]}
      act={async ({ name }) => {
        // Without the right to read costs, the page shows the first event but no run.
        const runs = await queryClient.query({ ...recentRunsQuery(orgId), staleTime: 0 }).catch(() => []);
        const { data } = await api.POST('/api/v1/sources', { body: { kind: kind.kind, name } });
        const { secret, ...source } = data!.data;
        return { source, secret, knownRuns: new Set(runs.map(({ id }) => id)) };
      }}
      refresh={[sourcesKey]}
      onDone={onCreated}
    />
  );
}

type ThereProps = Connected & { kind: SourceKind; onAdded: () => void };

function WebhookThere({ kind, source, secret, onAdded }: ThereProps) {
  const { hosted_title, url_label, secret_label } = kind.how_to_connect;
  return (
    <Stack maw={760}>
      <ReachNote sender={hosted_title} />
      <CopyField label={url_label} what="the URL" value={source.ingest_url} />
      <CopyField
        label={secret_label}
        description={`Shown only once. Paste it in ${kind.title} before you leave this page.`}
        what="the secret"
        value={secret}
      />
      <SetupSteps kind={kind} />
      <Group>
        <Button onClick={onAdded}>I added the webhook</Button>
      </Group>
    </Stack>
  );
}
