import { Button, Group, Stack, Stepper, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useOrganizationId } from '../../api/session.ts';
import { CopyField } from '../../shown/CopyField.tsx';
import { FormFault } from '../../shown/FormFault.tsx';
import { Panel } from '../../shown/Panel.tsx';
import { faultOf, useChange } from '../../shown/useChange.ts';
import { AtGitHub, ReachNote } from './AtGitHub.tsx';
import { FirstEvent } from './FirstEvent.tsx';
import { recentRunsQuery, sourcesKey, type Source } from './queries.ts';

type Connected = { source: Source; secret: string; knownRuns: ReadonlySet<string> };

/** Leads from nothing to the first run of a GitHub organization or repository. */
export function ConnectGitHub({ onDone }: { onDone: () => void }) {
  const [connected, setConnected] = useState<Connected | null>(null);
  const [isAdded, setIsAdded] = useState(false);
  const step = connected === null ? 0 : isAdded ? 2 : 1;
  return (
    <Panel
      title="Connect GitHub"
      aside={
        <Button size="compact-sm" variant="default" onClick={onDone}>
          {connected ? 'To the sources' : 'Cancel'}
        </Button>
      }
    >
      <Stepper active={step} size="sm" allowNextStepsSelect={false}>
        <Stepper.Step label="Create" description="a source here" />
        <Stepper.Step label="Add" description="the webhook at GitHub" />
        <Stepper.Step label="See" description="the first event arrive" />
      </Stepper>
      {connected === null && <NewSource onCreated={setConnected} />}
      {connected !== null && !isAdded && <WebhookAtGitHub {...connected} onAdded={() => setIsAdded(true)} />}
      {connected !== null && isAdded && (
        <FirstEvent
          sourceId={connected.source.id}
          knownRuns={connected.knownRuns}
          onBack={() => setIsAdded(false)}
          onDone={onDone}
        />
      )}
    </Panel>
  );
}

function NewSource({ onCreated }: { onCreated: (connected: Connected) => void }) {
  const [name, setName] = useState('GitHub');
  const orgId = useOrganizationId();
  const queryClient = useQueryClient();
  const create = useChange({
    act: async () => {
      // Whoever may not read costs sees the first event, but no run.
      const runs = await queryClient.query({ ...recentRunsQuery(orgId), staleTime: 0 }).catch(() => []);
      const { data } = await api.POST('/api/v1/sources', { body: { kind: 'github', name } });
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
          A source is an address of this server that GitHub sends its events to, with a secret that proves
          that it was GitHub. It reads nothing at GitHub and needs no rights there.
        </Text>
        <TextInput
          label="Name"
          description="To tell it from others, such as the name of the organization."
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

function WebhookAtGitHub({ source, secret, onAdded }: Connected & { onAdded: () => void }) {
  return (
    <Stack maw={760}>
      <ReachNote url={source.ingest_url} />
      <CopyField label="Payload URL" what="the payload URL" value={source.ingest_url} />
      <CopyField
        label="Secret"
        description="Shown now and never again: paste it at GitHub before you leave this page."
        what="the secret"
        value={secret}
      />
      <AtGitHub />
      <Group>
        <Button onClick={onAdded}>I have added the webhook</Button>
      </Group>
    </Stack>
  );
}
