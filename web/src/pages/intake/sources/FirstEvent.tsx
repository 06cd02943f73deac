import { Button, Group, List, Loader, Stack, Text, ThemeIcon } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { sourcesQuery, type Source, type SourceKind } from '../../../api/queries.ts';
import { useOrganizationId } from '../../../api/session.ts';
import { StatusBadge, TextLink, When } from '../../../ui/text.tsx';
import { runAddress } from '../../../ui/useAddress.ts';
import { recentRunsQuery } from './queries.ts';

const waitingMilliseconds = 4_000;

type Props = {
  kind: SourceKind;
  source: Source;
  knownRuns: ReadonlySet<string>;
  /** Returns to the secret, if the person had to copy one. */
  onBack?: () => void;
  onDone: () => void;
};

export function FirstEvent({ kind, source, knownRuns, onBack, onDone }: Props) {
  const { title, how_to_connect: how } = kind;
  const orgId = useOrganizationId();
  const sources = useQuery({ ...sourcesQuery, refetchInterval: waitingMilliseconds });
  const arrivedAt = sources.data?.find(({ id }) => id === source.id)?.last_event_at ?? null;
  // A run arrives with an event, so there is none before the first event.
  const runs = useQuery({
    ...recentRunsQuery(orgId),
    enabled: arrivedAt !== null,
    refetchInterval: waitingMilliseconds,
  });
  const run = runs.data?.findLast(({ id }) => !knownRuns.has(id));
  return (
    <Stack maw={760} aria-live="polite">
      <Waited
        isThere={arrivedAt !== null}
        title={arrivedAt ? 'First event received' : 'Waiting for the first event'}
      >
        {arrivedAt ? (
          <>
            {title} reached this server with the right secret, <When at={arrivedAt} />.
          </>
        ) : (
          how.first_event
        )}
      </Waited>
      <Waited isThere={run !== undefined} title={run ? 'First run recorded' : 'Waiting for the first run'}>
        {run ? (
          <Group gap="xs">
            <TextLink href={runAddress(run.id)} inherit style={{ overflowWrap: 'anywhere' }}>
              {run.workflow_name} in {run.repo_name}
            </TextLink>
            <StatusBadge status={run.conclusion ?? run.status} />
          </Group>
        ) : (
          how.first_run
        )}
      </Waited>
      {arrivedAt === null && <NothingArrives title={title} place={how.deliveries_place} />}
      <Group>
        {arrivedAt === null && onBack && (
          <Button variant="default" onClick={onBack}>
            Back to the secret
          </Button>
        )}
        <Button onClick={onDone}>{run ? 'Done' : 'Continue without waiting'}</Button>
      </Group>
    </Stack>
  );
}

function Waited({ isThere, title, children }: { isThere: boolean; title: string; children: ReactNode }) {
  return (
    <Group wrap="nowrap" align="flex-start" gap="sm">
      <ThemeIcon variant="outline" radius="xl" color={isThere ? 'green' : 'gray'} aria-hidden>
        {isThere ? '✓' : <Loader size={14} />}
      </ThemeIcon>
      <Stack gap={0} mih={48} miw={0}>
        <Text fw={600}>{title}</Text>
        <Text size="sm" c="dimmed" component="div">
          {children}
        </Text>
      </Stack>
    </Group>
  );
}

function NothingArrives({ title, place }: { title: string; place: string }) {
  return (
    <Stack gap={4}>
      <Text size="sm">
        Nothing arrives? In {title}, {place}:
      </Text>
      <List size="sm">
        <List.Item>401: the secret there differs from the one shown here.</List.Item>
        <List.Item>404: the URL there differs from the one shown here.</List.Item>
        <List.Item>“failed to connect” or “timed out”: {title} cannot reach this server.</List.Item>
      </List>
    </Stack>
  );
}
