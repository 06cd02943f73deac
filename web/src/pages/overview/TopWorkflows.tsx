import { Anchor, Table, Text } from '@mantine/core';
import { Link } from 'wouter';
import { count, share } from '../../shown/figures.ts';
import { Loaded } from '../../shown/Loaded.tsx';
import { Money } from '../../shown/Money.tsx';
import { Panel } from '../../shown/Panel.tsx';
import { breaking, Columns, WideTable } from '../../shown/WideTable.tsx';
import { overviewDays } from './days.ts';
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
              No workflow has run in {overviewDays} days.
            </Text>
          ) : (
            <WideTable label={title} minWidth={300}>
              <Columns texts={['Workflow']} numbers={['Cost', 'Share', 'Runs']} />
              <Table.Tbody>
                {listed.map((workflow) => (
                  <Table.Tr key={workflow.workflow_id}>
                    <Table.Th scope="row" fw={500} style={breaking}>
                      <Anchor component={Link} href={`/workflows/${workflow.workflow_id}`} size="sm">
                        {workflow.workflow_name}
                      </Anchor>
                      <Text size="xs" c="dimmed">
                        {workflow.repo_name}
                      </Text>
                    </Table.Th>
                    <Table.Td className="number">
                      <Money amount={workflow.total_cost} />
                    </Table.Td>
                    <Table.Td className="number">
                      {total > 0 ? share(workflow.total_cost / total) : '–'}
                    </Table.Td>
                    <Table.Td className="number">{count(workflow.total_runs)}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </WideTable>
          )
        }
      </Loaded>
    </Panel>
  );
}
