import { Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { isOfJobs, queryOf, type Question } from '../../../analysis/question.ts';
import { datesOf } from '../../../analysis/ranges.ts';
import type { Answer } from '../../../api/answer.ts';
import { api } from '../../../api/client.ts';
import { zoneName } from '../../../ui/calendar.ts';
import type { Column } from '../../../ui/columns.ts';
import { DataTable } from '../../../ui/DataTable.tsx';
import { duration } from '../../../ui/figures.ts';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Money } from '../../../ui/Money.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { RemovedRuns } from '../../../ui/RemovedRuns.tsx';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { runAddress } from '../../../ui/useAddress.ts';
import { When } from '../../../ui/When.tsx';
import { NamedLink } from '../overview/NamedLink.tsx';
import type { View } from '../overview/queries.ts';

type Run = Answer<'/api/v1/costs/runs'>[number];
type Job = Answer<'/api/v1/costs/jobs'>[number];

const listed = { sort: '-cost', limit: 8 } as const;

function useCostliest(things: 'runs' | 'jobs', question: Question, today: string) {
  const { metric: _, compare: __, granularity: ___, group_by: ____, ...asked } = queryOf(question, today);
  const query = { ...asked, ...listed };
  const path = `/api/v1/costs/${things}` as const;
  return useQuery({
    queryKey: [path, query],
    queryFn: async (): Promise<(Run | Job)[]> => (await api.GET(path, { params: { query } })).data!.data,
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
  });
}

/** Runs; or jobs, if a filter is about something of which a run has several. */
export function Costliest({ view: { question, today }, isOfOne = false }: { view: View; isOfOne?: boolean }) {
  const hasJobs = isOfJobs(question);
  const things = hasJobs ? 'jobs' : 'runs';
  const query = useCostliest(things, question, today);
  const title = `Most expensive ${things}`;
  return (
    <Panel
      title={title}
      aside={
        <Text size="sm" c="dimmed">
          {hasJobs ? 'Completed' : 'Created'} in this period
        </Text>
      }
    >
      <Loaded query={query} height={400}>
        {(rows) => (
          <>
            <RemovedRuns from={datesOf(question.range, today).from} />
            <DataTable
              label={title}
              minWidth={680}
              isStacked
              rows={rows}
              columns={columnsOf(hasJobs, isOfOne)}
              keyOf={(row) => ('id' in row ? row.id : `${row.run_id} ${row.attempt} ${row.job_id}`)}
              hrefOf={addressOf}
              order={{ column: 'Cost', isDescending: true }}
            />
          </>
        )}
      </Loaded>
    </Panel>
  );
}

function addressOf(row: Run | Job): string {
  return runAddress('id' in row ? row.id : row.run_id);
}

function nameOf(row: Run | Job): string {
  if (!('id' in row)) return row.name ?? row.job_id;
  return row.run_number === null ? row.workflow_name : `${row.workflow_name} #${row.run_number}`;
}

function noteOf(row: Run | Job, isOfOne: boolean): string {
  const repository = isOfOne ? [] : [row.repo_name];
  return [repository, 'id' in row ? [] : [row.workflow_name]].flat().join(' · ');
}

function columnsOf(hasJobs: boolean, isOfOne: boolean): Column<Run | Job>[] {
  return [
    {
      title: hasJobs ? 'Job' : 'Run',
      value: nameOf,
      cell: (row) => <NamedLink href={addressOf(row)} workflow={nameOf(row)} note={noteOf(row, isOfOne)} />,
    },
    {
      title: 'Result',
      className: 'row-beside',
      value: ({ conclusion }) => conclusion,
      cell: (row) => (
        <StatusBadge status={row.conclusion ?? ('status' in row ? row.status : 'in_progress')} />
      ),
    },
    {
      ...{ title: 'Cost', isNumber: true, isMain: true },
      value: ({ cost }) => cost,
      cell: ({ cost }) => <Money amount={cost} />,
    },
    {
      ...{ title: 'Duration', isNumber: true, isPlain: true },
      value: ({ duration_seconds: seconds }) => seconds,
      cell: ({ duration_seconds: seconds }) => (seconds === null ? '–' : duration(Math.round(seconds))),
    },
    {
      title: 'Branch',
      isHiddenOnPhones: true,
      value: ({ branch }) => branch,
      cell: ({ branch }) => branch ?? '–',
    },
    {
      title: 'Started by',
      isHiddenOnPhones: true,
      value: ({ actor }) => actor,
      cell: ({ actor }) => actor ?? '–',
    },
    {
      ...{
        title: `${hasJobs ? 'Completed' : 'Created'} (${zoneName(new Date())})`,
        isNumber: true,
        isPlain: true,
      },
      value: (row) => instantOf(row),
      cell: (row) => <When at={instantOf(row)} inRow />,
    },
  ];
}

function instantOf(row: Run | Job): string | null {
  return 'id' in row ? row.created_at : row.completed_at;
}
