import { Anchor, Text } from '@mantine/core';
import { Link } from 'wouter';
import { duration } from '../../../ui/figures.ts';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Money } from '../../../ui/Money.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { runAddress } from '../../../ui/useAddress.ts';
import { When } from '../../../ui/When.tsx';
import { breaking, keptNumber, WideTable } from '../../../ui/WideTable.tsx';
import { useRecentRuns, type RecentRun } from './queries.ts';

const title = 'Recent runs';

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
          <WideTable label={title} minWidth={280}>
            <thead>
              <tr>
                <th scope="col">Run</th>
                <th scope="col" className={keptNumber}>
                  Cost
                </th>
                <th scope="col">Status</th>
                <th scope="col" className="number wide-only">
                  Duration
                </th>
                <th scope="col" className="number wide-only">
                  Created
                </th>
              </tr>
            </thead>
            <tbody>
              {listed.map((run) => (
                <RunRow key={run.id} run={run} />
              ))}
            </tbody>
          </WideTable>
        )}
      </Loaded>
    </Panel>
  );
}

function RunRow({ run }: { run: RecentRun }) {
  return (
    <tr>
      <th scope="row" style={breaking}>
        <Anchor component={Link} href={runAddress(run.id)} size="sm">
          {run.workflow_name}
        </Anchor>{' '}
        <Text span size="sm" c="dimmed">
          {run.repo_name}
        </Text>
      </th>
      <td className={keptNumber}>
        <Money amount={run.cost} />
      </td>
      <td className="run-status">
        <StatusBadge status={run.conclusion ?? run.status} />
      </td>
      <td className="number wide-only">{run.completed_at ? duration(run.duration_seconds) : '–'}</td>
      <td className="number wide-only">
        <When at={run.created_at} />
      </td>
    </tr>
  );
}
