import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { DayField } from '../../../analysis/DayField.tsx';
import { api } from '../../../api/client.ts';
import { sourcesQuery, type Source } from '../../../api/queries.ts';
import { CancelButton } from '../../../ui/CancelButton.tsx';
import { countColumn, nameColumn, timeColumn } from '../../../ui/cells.tsx';
import type { Column } from '../../../ui/columns.ts';
import { countOf, longDay } from '../../../ui/figures.ts';
import { Form } from '../../../ui/Form.tsx';
import { ResourcePanel } from '../../../ui/ResourcePanel.tsx';
import { AllowedButton } from '../../../ui/rights.tsx';
import { isMoving } from '../../../ui/task.ts';
import { TaskBar } from '../../../ui/TaskBar.tsx';
import { LongText, StatusBadge, When } from '../../../ui/text.tsx';
import { usageImportsKey, usageImportsQuery, type UsageImport } from './queries.ts';

/** Shown once a CircleCI source has a token. */
export function UsageImports({ reason }: { reason: string | null }) {
  const sources = useQuery({ ...sourcesQuery, enabled: reason === null }).data ?? [];
  const imports = useQuery(usageImportsQuery(1));
  const [isOpen, setIsOpen] = useState(false);
  const readable = sources.filter(({ kind, has_credentials: has }) => kind === 'circleci' && has);
  if (readable.length === 0 && !imports.data?.pagination.total) return null;
  return (
    <ResourcePanel
      label="Usage data of CircleCI"
      query={imports}
      columns={usageColumns(reason)}
      minWidth={760}
      lead={<PanelLead />}
      actions={
        readable.length > 0 && (
          <AllowedButton reason={reason} variant="default" size="xs" onClick={() => setIsOpen(true)}>
            Read usage data
          </AllowedButton>
        )
      }
      empty={{
        title: 'Nothing read yet',
        text: 'We read the last 30 days first. CircleCI takes minutes to hours to prepare them.',
      }}
    >
      {isOpen && <StartImport sources={readable} onClose={() => setIsOpen(false)} />}
    </ResourcePanel>
  );
}

function PanelLead() {
  return (
    <Text size="sm">
      <b>Usage data of CircleCI</b>, read every night: it names the resource class of each job.
    </Text>
  );
}

function usageColumns(reason: string | null): Column<UsageImport>[] {
  return [
    nameColumn(
      'Days',
      ({ since, until }) => `${longDay(since)} to ${longDay(until)}`,
      ({ is_nightly: isNightly }) => isNightly && 'Nightly',
      { value: ({ since, until }) => `${since} ${until}` },
    ),
    {
      title: 'Status',
      value: ({ status }) => status,
      className: 'long-text',
      cell: (shown) => <State {...shown} />,
    },
    timeColumn('Started', ({ created_at: at }) => at),
    countColumn('Jobs', ({ jobs }) => jobs),
    countColumn('Added', ({ jobs_added: jobs }) => jobs),
    ...(reason === null
      ? [{ title: 'Actions', cell: (shown: UsageImport) => isMoving(shown) && <Cancel {...shown} /> }]
      : []),
  ];
}

function State(shown: UsageImport) {
  const { waiting, error, runners } = shown;
  const unpriced = runners.filter(({ listed_credits: listed }) => listed === null);
  const differing = runners.filter(({ differing_jobs: jobs }) => jobs > 0);
  return (
    <Stack gap={4} align="flex-start">
      <StatusBadge status={waiting ? 'waiting' : shown.status} />
      <TaskBar task={shown} done="read" />
      {waiting && (
        <LongText>
          {waiting.reason} Next: <When at={waiting.until} isNext />.
        </LongText>
      )}
      {error && <LongText>{error}</LongText>}
      {unpriced.map(({ runner, jobs, credits_per_minute: rate }) => (
        <LongText key={runner}>
          {countOf(jobs, 'job')} on {runner} {jobs === 1 ? 'has' : 'have'} no price
          {rate !== null && rate > 0 && ` (CircleCI bills about ${rate} credits a minute)`}. Add a rule for
          this label.
        </LongText>
      ))}
      {differing.map(({ runner, differing_jobs: jobs }) => (
        <LongText key={runner}>
          CircleCI bills {countOf(jobs, 'job')} on {runner} differently from its price list.
        </LongText>
      ))}
    </Stack>
  );
}

function Cancel({ id, since, until }: UsageImport) {
  return (
    <CancelButton
      what={`reading ${longDay(since)} to ${longDay(until)}`}
      reason={null}
      act={() => api.POST('/api/v1/usage-imports/{id}/cancel', { params: { path: { id } } })}
      done="Canceled. What was read stays."
      refresh={[usageImportsKey]}
    />
  );
}

const dayAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);

function StartImport({ sources, onClose }: { sources: readonly Source[]; onClose: () => void }) {
  return (
    <Form
      title="Read usage data"
      label="Read"
      initial={{ since: dayAgo(90), source_id: sources[0]!.id }}
      fields={({ input }) => [
        <DayField
          label="Since"
          description="From this UTC day until yesterday. CircleCI keeps 13 months."
          required
          w={280}
          max={dayAgo(1)}
          {...input('since')}
        />,
        sources.length > 1 && {
          name: 'source_id',
          kind: 'choice',
          label: 'Source',
          options: sources.map(({ id, name }) => ({ value: id, label: name })),
        },
      ]}
      act={(body) => api.POST('/api/v1/usage-imports', { body })}
      done="Reading started."
      refresh={[usageImportsKey]}
      onClose={onClose}
    />
  );
}
