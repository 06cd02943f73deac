import { Button, Group, Stack, Stepper, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { sourcesKey, type Source, type SourceKind } from '../../../api/queries.ts';
import { useOrganizationId } from '../../../api/session.ts';
import { CopyField } from '../../../ui/CopyField.tsx';
import { FormError } from '../../../ui/FormError.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { errorOf, useChange } from '../../../ui/useChange.ts';
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
      aside={
        <Button size="compact-sm" variant="default" onClick={onDone}>
          {connected ? 'Back to sources' : 'Cancel'}
        </Button>
      }
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
  const [name, setName] = useState(title);
  const orgId = useOrganizationId();
  const queryClient = useQueryClient();
  const create = useChange({
    act: async () => {
      // Without the right to read costs, the page shows the first event but no run.
      const runs = await queryClient.query({ ...recentRunsQuery(orgId), staleTime: 0 }).catch(() => []);
      const { data } = await api.POST('/api/v1/sources', { body: { kind: kind.kind, name } });
      const { secret, ...source } = data!.data;
      return { source, secret, knownRuns: new Set(runs.map(({ id }) => id)) };
    },
    refresh: [sourcesKey],
    isErrorShown: true,
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        create.mutate(undefined, { onSuccess: onCreated });
      }}
    >
      <Stack maw={520}>
        <Text size="sm">
          A source is an address on this server that receives events from {title}. A secret proves that they
          come from {title}. The source reads nothing in {title} and needs no permissions there.
        </Text>
        <TextInput
          label="Name"
          description="For example, the name of your organization or group."
          required
          maxLength={255}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={errorOf(create.error, 'name')}
        />
        <FormError error={create.error} fields={['name']} />
        <Group>
          <Button type="submit" loading={create.isPending}>
            Create source
          </Button>
        </Group>
      </Stack>
    </form>
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
