import { Button, Group, Stack, Stepper, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { useOrganizationId } from '../../../api/session.ts';
import { CopyField } from '../../../ui/CopyField.tsx';
import { FormFault } from '../../../ui/FormFault.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { faultOf, useChange } from '../../../ui/useChange.ts';
import { recentRunsQuery, sourcesKey, type Source } from '../../tenancy/queries.ts';
import { FirstEvent } from './FirstEvent.tsx';
import { ReachNote } from './ReachNote.tsx';
import { SetupSteps, type SourceKind } from './sourceKinds.tsx';

type Connected = { source: Source; secret: string; knownRuns: ReadonlySet<string> };

/** Leads from nothing to the first run of an organization, group, repository or project. */
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
          {connected ? 'To the sources' : 'Cancel'}
        </Button>
      }
    >
      <Stepper active={step} size="sm" allowNextStepsSelect={false}>
        <Stepper.Step label="Create" description="a source here" />
        <Stepper.Step label="Add" description={`the webhook at ${title}`} />
        <Stepper.Step label="See" description="the first event arrive" />
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
      // Whoever may not read costs sees the first event, but no run.
      const runs = await queryClient.query({ ...recentRunsQuery(orgId), staleTime: 0 }).catch(() => []);
      const { data } = await api.POST('/api/v1/sources', { body: { kind: kind.kind, name } });
      const { secret, ...source } = data!.data;
      return { source, secret, knownRuns: new Set(runs.map(({ id }) => id)) };
    },
    refresh: [sourcesKey],
    isFaultShown: true,
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
          A source is an address of this server that {title} sends its events to, with a secret that proves
          that it was {title}. It reads nothing at {title} and needs no rights there.
        </Text>
        <TextInput
          label="Name"
          description="To tell it from others, such as the name of the organization or group."
          required
          maxLength={255}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={faultOf(create.error, 'name')}
        />
        <FormFault error={create.error} fields={['name']} />
        <Group>
          <Button type="submit" loading={create.isPending}>
            Create the source
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
      <ReachNote url={source.ingest_url} sender={hosted_title} />
      <CopyField label={url_label} what="the URL" value={source.ingest_url} />
      <CopyField
        label={secret_label}
        description={`Shown now and never again: paste it at ${kind.title} before you leave this page.`}
        what="the secret"
        value={secret}
      />
      <SetupSteps kind={kind} />
      <Group>
        <Button onClick={onAdded}>I have added the webhook</Button>
      </Group>
    </Stack>
  );
}
