import { Anchor, Table, Text } from '@mantine/core';
import { Link } from 'wouter';
import { Loaded } from '../../shown/Loaded.tsx';
import { Money } from '../../shown/Money.tsx';
import { Panel } from '../../shown/Panel.tsx';
import { StatusBadge } from '../../shown/StatusBadge.tsx';
import { duration } from '../../shown/figures.ts';
import { When } from '../../shown/When.tsx';
import { breaking, Columns, WideTable } from '../../shown/WideTable.tsx';
import { useRecentRuns, type RecentRun } from './queries.ts';

const title = 'Recent runs';

export function RecentRuns() {
  const runs = useRecentRuns();
  return (
    <Panel
      title={title}
      aside={
        <Text size="sm" c="dimmed">
          New runs appear by themselves
        </Text>
      }
    >
      <Loaded query={runs} height={400}>
        {(listed) => (
          <WideTable label={title} minWidth={600}>
            <Columns texts={['Run of', 'Status']} numbers={['Cost', 'Duration', 'Started']} />
            <Table.Tbody>
              {listed.map((run) => (
                <RunRow key={run.id} run={run} />
              ))}
            </Table.Tbody>
          </WideTable>
        )}
      </Loaded>
    </Panel>
  );
}

function RunRow({ run }: { run: RecentRun }) {
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={500} style={breaking}>
        <Anchor component={Link} href={`/runs/${run.id}`} size="sm">
          {run.workflow_name}
        </Anchor>{' '}
        <Text span size="sm" c="dimmed">
          {run.repo_name}
        </Text>
      </Table.Th>
      <Table.Td miw={140}>
        <StatusBadge status={run.conclusion ?? run.status} />
      </Table.Td>
      <Table.Td className="number">
        <Money amount={run.cost} />
      </Table.Td>
      <Table.Td className="number">{run.completed_at ? duration(run.duration_seconds) : '–'}</Table.Td>
      <Table.Td className="number">
        <When at={run.started_at} />
      </Table.Td>
    </Table.Tr>
  );
}
