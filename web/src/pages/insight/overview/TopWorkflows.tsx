import { Anchor, Text } from '@mantine/core';
import { Link } from 'wouter';
import { count, share } from '../../../ui/figures.ts';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Money } from '../../../ui/Money.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { Columns, keptNumber, WideTable } from '../../../ui/WideTable.tsx';
import { overviewDays } from './days.ts';
import { LinkedHead } from './LinkedHead.tsx';
import { useSummary, useTopWorkflows } from './queries.ts';

const title = 'Most expensive workflows';

export function TopWorkflows() {
  const workflows = useTopWorkflows();
  const total = useSummary().data?.total_cost ?? 0;
  return (
    <Panel
      title={title}
      aside={
        <Anchor component={Link} href="/workflows" size="sm">
          All workflows
        </Anchor>
      }
    >
      <Loaded query={workflows} height={320}>
        {(listed) =>
          listed.length === 0 ? (
            <Text size="sm" c="dimmed">
              No runs in the last {overviewDays} days.
            </Text>
          ) : (
            <WideTable label={title} minWidth={300}>
              <Columns texts={['Workflow']} numbers={['Cost', 'Share', 'Runs']} kept="Cost" />
              <tbody>
                {listed.map((workflow) => (
                  <tr key={workflow.workflow_id}>
                    <LinkedHead
                      href={`/workflows/${workflow.workflow_id}`}
                      workflow={workflow.workflow_name}
                      repository={workflow.repo_name}
                    />
                    <td className={keptNumber}>
                      <Money amount={workflow.total_cost} />
                    </td>
                    <td className="number">{total > 0 ? share(workflow.total_cost / total) : '–'}</td>
                    <td className="number">{count(workflow.total_runs)}</td>
                  </tr>
                ))}
              </tbody>
            </WideTable>
          )
        }
      </Loaded>
    </Panel>
  );
}
