import { Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { NamedLink } from '../../../parts/workflows/NamedLink.tsx';
import type { Column } from '../../../ui/columns.ts';
import { DataTable } from '../../../ui/DataTable.tsx';
import { Dialog } from '../../../ui/Dialog.tsx';
import { countOf } from '../../../ui/figures.ts';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Money } from '../../../ui/Money.tsx';
import { Pager } from '../../../ui/Pager.tsx';
import { runAddress } from '../../../ui/useAddress.ts';
import { When } from '../../../ui/When.tsx';
import { useFlaggedRuns, type Flag } from './queries.ts';

const titles: Record<Flag, string> = {
  guessed_runner: 'Runs with an inferred runner size',
  missing_labels: 'Runs with a job without labels',
  negative_duration: 'Runs with a job that ended before it started',
  over_time_limit: 'Runs with a job over the time limit',
  incomplete: 'Runs that never completed',
};
export const flagNames = Object.keys(titles) as Flag[];

type FlaggedRun = NonNullable<ReturnType<typeof useFlaggedRuns>['data']>['data'][number];

const columns: Column<FlaggedRun>[] = [
  {
    title: 'Run',
    cell: (run) => <NamedLink href={runAddress(run.id)} workflow={run.workflow_name} note={run.repo_name} />,
  },
  { title: 'Cost', isNumber: true, isMain: true, cell: ({ cost }) => <Money amount={cost} /> },
  { title: 'Created', isNumber: true, cell: ({ created_at: at }) => <When at={at} /> },
];

export function FlagDialog({ flag, onClose }: { flag: Flag; onClose: () => void }) {
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
              keyOf={({ id }) => id}
              hrefOf={({ id }) => runAddress(id)}
            />
            <Pager pagination={pagination} one="run" onPage={setPage} />
          </Stack>
        )}
      </Loaded>
    </Dialog>
  );
}
