import { Stack, Text } from '@mantine/core';
import { ChangeSentence } from '../../../analysis/ChangeSentence.tsx';
import { namesOf } from '../../../analysis/changeWords.ts';
import { rangeOf } from '../../../analysis/ranges.ts';
import { type View } from '../../../parts/costs/costView.ts';
import { NamedLink } from '../../../parts/workflows/NamedLink.tsx';
import { countColumn, moneyColumn } from '../../../ui/cells.tsx';
import type { Column } from '../../../ui/columns.ts';
import { DataTable } from '../../../ui/DataTable.tsx';
import { Dialog } from '../../../ui/Dialog.tsx';
import { countOf, longDay, signed } from '../../../ui/figures.ts';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Money } from '../../../ui/Money.tsx';
import { TextLink } from '../../../ui/TextLink.tsx';
import { useDay } from './queries.ts';

type Props = { view: View; day: string; onClose: () => void };
type Group = NonNullable<ReturnType<typeof useDay>['data']>['groups'][number];

const workflowOf = ({ by: [part] }: Group) => part!.value!;

export function DayDialog({ view, day, onClose }: Props) {
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
                isStacked
                rows={change.groups.filter(({ jobs }) => jobs > 0)}
                order={{ column: 'Cost', isDescending: true }}
                columns={columns}
                keyOf={workflowOf}
                hrefOf={hrefOf}
              />
            )}
            <TextLink
              href={`/explore${searchOf({ ...question, range, groupBy: ['workflow'] }, new URLSearchParams())}`}
              size="sm"
            >
              Explore this day
            </TextLink>
          </Stack>
        )}
      </Loaded>
    </Dialog>
  );
}

function columnsOf(hrefOf: (group: Group) => string): Column<Group>[] {
  return [
    {
      title: 'Workflow',
      value: ({ by: [part] }) => part!.name,
      cell: (group) => {
        const { workflow, repository } = namesOf(group.by[0]!.name);
        return <NamedLink href={hrefOf(group)} workflow={workflow} note={repository} />;
      },
    },
    moneyColumn('Cost', ({ value }) => value, { isMain: true }),
    {
      title: 'Change',
      isNumber: true,
      className: 'row-beside day-change',
      value: ({ change }) => change,
      cell: ({ change }) => (change === 0 ? '–' : signed(change)),
    },
    countColumn('Jobs', ({ jobs }) => jobs, { className: 'row-labeled' }),
    countColumn('Minutes', ({ minutes }) => minutes, { className: 'row-labeled' }),
  ];
}
