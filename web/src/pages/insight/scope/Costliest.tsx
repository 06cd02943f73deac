import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { isOfJobs, selectionOf, type Question } from '../../../analysis/question.ts';
import { datesOf } from '../../../analysis/ranges.ts';
import type { Answer } from '../../../api/answer.ts';
import { zoneName } from '../../../api/calendar.ts';
import { api } from '../../../api/client.ts';
import type { View } from '../../../parts/costs/costView.ts';
import { NamedLink } from '../../../parts/workflows/NamedLink.tsx';
import { moneyColumn } from '../../../ui/cells.tsx';
import type { Column } from '../../../ui/columns.ts';
import { DataTable } from '../../../ui/DataTable.tsx';
import { duration } from '../../../ui/figures.ts';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Note } from '../../../ui/Note.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { RemovedRuns } from '../../../ui/RemovedRuns.tsx';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { runAddress } from '../../../ui/useAddress.ts';
import { When } from '../../../ui/When.tsx';
import { CostliestJobs } from './CostliestJobs.tsx';

type Run = Answer<'/api/v1/costs/runs'>[number];

const title = 'Most expensive runs';
const path = '/api/v1/costs/runs';

function useCostliest(question: Question, today: string) {
  const query = { ...selectionOf(question, today), sort: '-cost', limit: 8 } as const;
  return useQuery({
    queryKey: [path, query],
    queryFn: async (): Promise<Run[]> => (await api.GET(path, { params: { query } })).data!.data,
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
  });
}

type Props = { view: View; isOfOne: boolean };

/** Lists runs, or jobs if a filter applies to single jobs of a run. */
export function Costliest({ view, isOfOne }: Props) {
  if (isOfJobs(view.question)) return <CostliestJobs view={view} isOfOne={isOfOne} />;
  return <CostliestRuns view={view} isOfOne={isOfOne} />;
}

function CostliestRuns({ view: { question, today }, isOfOne }: Props) {
  const query = useCostliest(question, today);
  return (
    <Panel title={title} aside={<Note>Created in this period</Note>}>
      <Loaded query={query} height={400}>
        {(rows) => (
          <>
            <RemovedRuns from={datesOf(question.range, today).from} />
            <DataTable
              label={title}
              minWidth={680}
              isStacked
              rows={rows}
              columns={columnsOf(isOfOne)}
              keyOf={({ id }) => id}
              hrefOf={({ id }) => runAddress(id)}
              order={{ column: 'Cost', isDescending: true }}
            />
          </>
        )}
      </Loaded>
    </Panel>
  );
}

function nameOf({ run_number: number, workflow_name: name }: Run): string {
  return number === null ? name : `${name} #${number}`;
}

function columnsOf(isOfOne: boolean): Column<Run>[] {
  return [
    {
      title: 'Run',
      value: nameOf,
      cell: (row) => (
        <NamedLink href={runAddress(row.id)} workflow={nameOf(row)} note={isOfOne ? '' : row.repo_name} />
      ),
    },
    {
      title: 'Status',
      className: 'row-beside',
      value: ({ conclusion }) => conclusion,
      cell: (row) => <StatusBadge status={row.conclusion ?? row.status} />,
    },
    moneyColumn('Cost', ({ cost }) => cost, { isMain: true }),
    {
      title: 'Duration',
      isNumber: true,
      isPlain: true,
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
      title: 'Triggered by',
      isHiddenOnPhones: true,
      value: ({ actor }) => actor,
      cell: ({ actor }) => actor ?? '–',
    },
    {
      title: `Created (${zoneName(new Date())})`,
      isNumber: true,
      isPlain: true,
      value: ({ created_at: at }) => at,
      cell: (row) => <When at={row.created_at} inRow />,
    },
  ];
}
