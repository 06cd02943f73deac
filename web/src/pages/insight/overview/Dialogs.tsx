import { Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ChangeSentence } from '../../../analysis/ChangeSentence.tsx';
import { rangeOf } from '../../../analysis/ranges.ts';
import type { View } from '../../../parts/costs/costView.ts';
import { workflowColumn } from '../../../parts/costs/groupColumns.tsx';
import { NamedLink } from '../../../parts/workflows/NamedLink.tsx';
import { countColumn, moneyColumn, numberColumn, timeColumn } from '../../../ui/cells.tsx';
import type { Column } from '../../../ui/columns.ts';
import { DataTable } from '../../../ui/DataTable.tsx';
import { Dialog } from '../../../ui/Dialog.tsx';
import { countOf, longDay, signed } from '../../../ui/figures.ts';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Pager } from '../../../ui/Pager.tsx';
import { Money, RowLink } from '../../../ui/text.tsx';
import { dayIn, oneOf, runAddress, useAddress, useDropped } from '../../../ui/useAddress.ts';
import { type Flag, useDay, useFlaggedRuns } from './queries.ts';

/** Dialogs that the address opens over the page. */
export function Dialogs({ view }: { view: View }) {
  const [params, change] = useAddress();
  const day = dayIn(params, 'day');
  // The day may be in the future, or before the history of the plan.
  const isHiddenDay = useDay(view, day).error !== null;
  useDropped(['day'], params.has('day') && (day === null || isHiddenDay));
  const flag = oneOf(flagNames, params.get('flag'), null);
  if (day && !isHiddenDay) return <DayDialog view={view} day={day} onClose={() => change({ day: null })} />;
  return flag && <FlagDialog key={flag} flag={flag} onClose={() => change({ flag: null })} />;
}

type Props = { view: View; day: string; onClose: () => void };
type Group = NonNullable<ReturnType<typeof useDay>['data']>['groups'][number];

const workflowOf = ({ by: [part] }: Group) => part!.value!;

function DayDialog({ view, day, onClose }: Props) {
  const { question, today, searchOf } = view;
  const range = rangeOf({ from: day, to: day }, today);
  const hrefOf = (group: Group) => `/workflows/${workflowOf(group)}?completed_on=${day}`;
  const columns = columnsOf(hrefOf);
  return (
    <Dialog title={`Costs on ${longDay(day)}`} onClose={onClose}>
      <Loaded query={useDay(view, day)} height={240}>
        {(change) => (
          <Stack gap="sm">
            <Text size="sm">
              <Text span inherit fw={700}>
                <Money amount={change.total.value} />
              </Text>{' '}
              for {countOf(change.total.jobs, 'job')} ({countOf(change.total.minutes, 'billed minute')}) that
              completed on this day (UTC).
            </Text>
            {change.total.previous_value > 0 && (
              <Text size="sm">
                <ChangeSentence change={change} />
              </Text>
            )}
            {change.total.jobs > 0 && (
              <DataTable
                label="Workflows of the day"
                minWidth={420}
                maxHeight={360}
                rows={change.groups.filter(({ jobs }) => jobs > 0)}
                order={{ column: 'Cost', isDescending: true }}
                columns={columns}
                keyOf={workflowOf}
                hrefOf={hrefOf}
                isStacked
              />
            )}
            <RowLink
              href={`/explore${searchOf({ ...question, range, groupBy: ['workflow'] }, new URLSearchParams())}`}
            >
              Explore this day
            </RowLink>
          </Stack>
        )}
      </Loaded>
    </Dialog>
  );
}

function columnsOf(hrefOf: (group: Group) => string): Column<Group>[] {
  return [
    workflowColumn(hrefOf),
    moneyColumn('Cost', ({ value }) => value, { isMain: true }),
    numberColumn(
      'Change',
      ({ change }) => change,
      (change) => (change === 0 ? '–' : signed(change)),
      {
        className: 'row-beside day-change',
      },
    ),
    countColumn('Jobs', ({ jobs }) => jobs, { className: 'row-labeled' }),
    countColumn('Minutes', ({ minutes }) => minutes, { className: 'row-labeled' }),
  ];
}

const titles: Record<Flag, string> = {
  guessed_runner: 'Runs with an inferred runner size',
  missing_labels: 'Runs with a job without labels',
  negative_duration: 'Runs with a job that ended before it started',
  over_time_limit: 'Runs with a job over the time limit',
  incomplete: 'Runs that never completed',
};
const flagNames = Object.keys(titles) as Flag[];

type FlaggedRun = NonNullable<ReturnType<typeof useFlaggedRuns>['data']>['data'][number];

const columns: Column<FlaggedRun>[] = [
  {
    title: 'Run',
    cell: (run) => <NamedLink href={runAddress(run.id)} workflow={run.workflow_name} note={run.repo_name} />,
  },
  moneyColumn('Cost', ({ cost }) => cost, { isMain: true }),
  timeColumn('Created', ({ created_at: at }) => at, { isNumber: true }),
];

function FlagDialog({ flag, onClose }: { flag: Flag; onClose: () => void }) {
  const [page, setPage] = useState(1);
  const query = useFlaggedRuns(flag, page);
  return (
    <Dialog title={titles[flag]} onClose={onClose}>
      <Loaded query={query} height={320}>
        {({ data, pagination, period }) => (
          <Stack gap="sm">
            <Text size="sm">
              {flag === 'incomplete'
                ? `Created in the last ${countOf(period.days, 'day')}.`
                : `The job completed in the last ${countOf(period.days, 'day')}. Open a run to see which one it is.`}
            </Text>
            <DataTable
              label={titles[flag]}
              minWidth={360}
              maxHeight={420}
              rows={data}
              columns={columns}
              isPart
              hrefOf={({ id }) => runAddress(id)}
            />
            <Pager pagination={pagination} one="run" onPage={setPage} />
          </Stack>
        )}
      </Loaded>
    </Dialog>
  );
}
