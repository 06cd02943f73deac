import { Code, Table, Text } from '@mantine/core';
import { count, share } from '../../shown/figures.ts';
import { Money } from '../../shown/Money.tsx';
import { Panel } from '../../shown/Panel.tsx';
import { Columns, WideTable } from '../../shown/WideTable.tsx';
import type { Workflow } from './queries.ts';

const title = 'Runners';

/** What the workflow has cost on each kind of runner. */
export function RunnerKinds({ workflow: { runner_kinds, total_cost } }: { workflow: Workflow }) {
  if (runner_kinds.length === 0)
    return (
      <Panel title={title}>
        <Text size="sm" c="dimmed">
          No job has completed in these days.
        </Text>
      </Panel>
    );
  return (
    <Panel title={title}>
      <WideTable label={title} minWidth={480}>
        <Columns texts={['Kind']} numbers={['Jobs', 'Minutes', 'Cost', 'Share']} />
        <Table.Tbody>
          {runner_kinds.map(({ kind, jobs, minutes, cost }) => (
            <Table.Tr key={kind}>
              <Table.Th scope="row" fw={400}>
                {kind === 'unpriced' ? 'no known price, counts as $0' : <Code>{kind}</Code>}
              </Table.Th>
              <Table.Td className="number">{count(jobs)}</Table.Td>
              <Table.Td className="number">{count(minutes)}</Table.Td>
              <Table.Td className="number">
                <Money amount={cost} />
              </Table.Td>
              <Table.Td className="number">{total_cost > 0 ? share(cost / total_cost) : '–'}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </WideTable>
    </Panel>
  );
}
