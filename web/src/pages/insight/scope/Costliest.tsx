import { useQuery } from '@tanstack/react-query';
import { isOfJobs, type Question, selectionOf } from '../../../analysis/question.ts';
import { datesOf } from '../../../analysis/ranges.ts';
import { zoneName } from '../../../api/calendar.ts';
import { type Answer, dataQuery, everySeconds } from '../../../api/query.ts';
import type { View } from '../../../parts/costs/costView.ts';
import { NamedLink } from '../../../parts/workflows/NamedLink.tsx';
import { moneyColumn, numberColumn, statusColumn, textColumn, timeColumn } from '../../../ui/cells.tsx';
import type { Column } from '../../../ui/columns.ts';
import { DataTable } from '../../../ui/DataTable.tsx';
import { duration } from '../../../ui/figures.ts';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { RemovedRuns } from '../../../ui/RemovedRuns.tsx';
import { Note } from '../../../ui/text.tsx';
import { runAddress } from '../../../ui/useAddress.ts';
import { CostliestJobs } from './CostliestJobs.tsx';

const title = 'Most expensive runs';
const path = '/api/v1/costs/runs';

type Run = Answer<typeof path>[number];

function useCostliest(question: Question, today: string) {
  const query = { ...selectionOf(question, today), sort: '-cost', limit: 8 } as const;
  return useQuery({ ...dataQuery(path, { query }), ...everySeconds(60) });
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
              rows={rows}
              columns={columnsOf(isOfOne)}
              hrefOf={({ id }) => runAddress(id)}
              order={{ column: 'Cost', isDescending: true }}
              isStacked
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
    statusColumn(({ conclusion, status }) => conclusion ?? status),
    moneyColumn('Cost', ({ cost }) => cost, { isMain: true }),
    numberColumn(
      'Duration',
      ({ duration_seconds: seconds }) => seconds,
      (seconds) => duration(Math.round(seconds)),
      { isPlain: true },
    ),
    textColumn('Branch', ({ branch }) => branch, { isHiddenOnPhones: true }),
    textColumn('Triggered by', ({ actor }) => actor, { isHiddenOnPhones: true }),
    timeColumn(`Created (${zoneName(new Date())})`, ({ created_at: at }) => at, {
      isNumber: true,
      isPlain: true,
      look: { inRow: true },
    }),
  ];
}
