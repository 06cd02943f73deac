import { Text } from '@mantine/core';
import type { Column } from '../../../ui/columns.ts';
import { DataTable } from '../../../ui/DataTable.tsx';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Money } from '../../../ui/Money.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { runAddress } from '../../../ui/useAddress.ts';
import { When } from '../../../ui/When.tsx';
import { NamedLink } from './NamedLink.tsx';
import { useRecentRuns, type RecentRun } from './queries.ts';

const title = 'Recent runs';

const columns: Column<RecentRun>[] = [
  {
    title: 'Run',
    cell: (run) => (
      <NamedLink
        href={runAddress(run.id)}
        workflow={run.run_number === null ? run.workflow_name : `${run.workflow_name} #${run.run_number}`}
        note={run.branch === null ? run.repo_name : `${run.repo_name} · ${run.branch}`}
      />
    ),
  },
  { title: 'Cost', isNumber: true, isMain: true, cell: ({ cost }) => <Money amount={cost} /> },
  {
    title: 'Status',
    cell: ({ conclusion, status }) => <StatusBadge status={conclusion ?? status} />,
  },
  {
    title: 'Created',
    isNumber: true,
    isHiddenOnPhones: true,
    cell: ({ created_at: at }) => <When at={at} />,
  },
];

export function RecentRuns({ isFiltered }: { isFiltered: boolean }) {
  const runs = useRecentRuns();
  return (
    <Panel
      title={title}
      aside={
        <Text size="sm" c="dimmed">
          {isFiltered ? 'Live, without the filters' : 'Live'}
        </Text>
      }
    >
      <Loaded query={runs} height={400}>
        {(listed) => (
          <DataTable
            label={title}
            minWidth={280}
            rows={listed}
            columns={columns}
            keyOf={({ id }) => id}
            hrefOf={({ id }) => runAddress(id)}
          />
        )}
      </Loaded>
    </Panel>
  );
}
