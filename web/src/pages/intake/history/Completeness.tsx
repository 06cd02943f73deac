import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { countColumn, numberColumn, shownColumn, textColumn } from '../../../ui/cells.tsx';
import type { Column } from '../../../ui/columns.ts';
import { DataTable } from '../../../ui/DataTable.tsx';
import { countOf, longDay } from '../../../ui/figures.ts';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Pager } from '../../../ui/Pager.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { DaysChoice } from '../../../ui/Segments.tsx';
import { Note } from '../../../ui/text.tsx';
import { completenessQuery, type RepositoryCompleteness } from './queries.ts';
import { shareText } from './words.ts';

const knownDays = ['7', '30', '90'] as const;

/** `isFirst` means that there was no backfill yet, so that the first nightly check is awaited. */
export function Completeness({ isFirst }: { isFirst: boolean }) {
  const [days, setDays] = useState<(typeof knownDays)[number]>('30');
  const [page, setPage] = useState(1);
  const completeness = useQuery(completenessQuery(Number(days), page));
  const choose = (chosen: typeof days) => {
    setDays(chosen);
    setPage(1);
  };
  if (isFirst && days === '30' && completeness.data?.pagination.total === 0) return null;
  return (
    <Panel title="Completeness" aside={<DaysChoice known={knownDays} value={days} onChange={choose} />}>
      <Note>
        Share of GitHub’s runs that had arrived by themselves. Backfills and nightly checks add the rest.
      </Note>
      <Loaded query={completeness} height={160}>
        {({ data, pagination }) =>
          pagination.total === 0 ? (
            <Text size="sm">No comparison with GitHub in this period.</Text>
          ) : (
            <Stack gap="xs">
              <DataTable<RepositoryCompleteness>
                label="Completeness by repository"
                minWidth={680}
                rows={data}
                keyOf={({ repository }) => repository}
                columns={[textColumn('Repository', ({ repository }) => repository), ...countColumns]}
                isPart={pagination.total > data.length}
                details={{ of: Days, label: daysLabel }}
              />
              <Pager pagination={pagination} one="repository" many="repositories" onPage={setPage} />
            </Stack>
          )
        }
      </Loaded>
    </Panel>
  );
}

type Counts = Omit<RepositoryCompleteness, 'repository' | 'days'>;

const countColumns: Column<Counts>[] = [
  countColumn('Listed', ({ runs_listed: runs }) => runs),
  countColumn('Recorded', ({ runs_had: runs }) => runs),
  countColumn('Completed', ({ runs_completed: runs }) => runs),
  countColumn('Added', ({ runs_added: runs }) => runs),
  countColumn('Unread', ({ runs_unread: runs }) => runs),
  numberColumn(
    'Complete',
    ({ completeness }) => completeness,
    (part) => (
      <Text size="sm" fw={part === 1 ? 400 : 700}>
        {shareText(part)}
      </Text>
    ),
  ),
];

const daysLabel = ({ days, repository }: RepositoryCompleteness, isOpen: boolean) =>
  `${isOpen ? 'Hide' : 'Show'} ${countOf(days.length, 'day')} of ${repository}`;

/** Newest first. */
function Days({ days, repository }: RepositoryCompleteness) {
  return (
    <DataTable<RepositoryCompleteness['days'][number]>
      label={`Completeness of ${repository}`}
      minWidth={680}
      rows={days.toReversed()}
      keyOf={({ day }) => day}
      columns={[shownColumn('Day', ({ day }) => day, longDay), ...countColumns]}
    />
  );
}
