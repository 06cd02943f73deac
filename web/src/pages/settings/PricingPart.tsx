import { Code, List, Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { count } from '../../shown/figures.ts';
import { DaysChoice } from '../../shown/DaysChoice.tsx';
import { Empty } from '../../shown/Empty.tsx';
import { Loaded } from '../../shown/Loaded.tsx';
import { Pager } from '../../shown/Pager.tsx';
import { Panel } from '../../shown/Panel.tsx';
import { oneOf, pageIn, useAddress } from '../../shown/useAddress.ts';
import { breaking, Columns, WideTable } from '../../shown/WideTable.tsx';
import { Needs } from './Needs.tsx';
import { unpricedQuery } from './queries.ts';

const spans = ['30', '90', '365'] as const;

export function PricingPart() {
  return (
    <>
      <Panel title="Price book">
        <Stack gap="xs">
          <Text size="sm">
            Every job is priced with <b>GitHub&apos;s published list up to 2025-12-31</b>, in US dollars a
            minute, before anything that a plan or a contract takes off.
          </Text>
          <List size="sm" spacing={4}>
            <List.Item>Each job&apos;s time is rounded up to whole minutes, as GitHub bills.</List.Item>
            <List.Item>
              Self-hosted runners and those of other companies cost 0: their prices are not known.
            </List.Item>
            <List.Item>A job keeps the price that it was recorded with.</List.Item>
          </List>
          <Text size="sm">
            The price of each job, and the rule that chose it, stand in the receipt of its run. The whole list
            is in <Code>docs/cost-model.md</Code>. Choosing another list, and prices of your own, come later.
          </Text>
        </Stack>
      </Panel>
      <Needs role="viewer" scope="costs:read" title="Runners without a price are not for you to see">
        <UnpricedRunners />
      </Needs>
    </>
  );
}

function UnpricedRunners() {
  const [address, changeAddress] = useAddress();
  const days = oneOf(spans, address.get('days'), '30');
  const unpriced = useQuery(unpricedQuery(Number(days), pageIn(address)));
  return (
    <Panel
      title="Runners without a price"
      aside={<DaysChoice known={spans} value={days} onChange={(value) => changeAddress({ days: value })} />}
    >
      <Text size="sm" c="dimmed">
        Their minutes are counted and cost 0. As long as there are any, costs are too low by what these
        minutes are worth. Mapping such labels to a price comes later.
      </Text>
      <Loaded query={unpriced} height={200}>
        {({ data, pagination }) =>
          data.length === 0 ? (
            <Empty title="Every runner has a price">Nothing was left out in these days.</Empty>
          ) : (
            <Stack gap="sm">
              <RunnerTable runners={data} />
              <Pager
                pagination={pagination}
                of="runners"
                onPage={(page) => changeAddress({ page: String(page) })}
              />
            </Stack>
          )
        }
      </Loaded>
    </Panel>
  );
}

type Runner = {
  labels: string[];
  runner_group: string | null;
  jobs: number;
  minutes: number;
  last_seen: string;
};

function RunnerTable({ runners }: { runners: Runner[] }) {
  return (
    <WideTable label="Runners without a price" minWidth={600}>
      <Columns texts={['Labels', 'Runner group']} numbers={['Jobs', 'Minutes', 'Last seen (UTC)']} />
      <Table.Tbody>
        {runners.map(({ labels, runner_group: group, jobs, minutes, last_seen: lastSeen }) => (
          <Table.Tr key={JSON.stringify([labels, group])}>
            <Table.Th scope="row" fw={400} style={breaking}>
              {labels.length === 0 ? 'no labels' : labels.join(', ')}
            </Table.Th>
            <Table.Td style={breaking}>{group ?? '–'}</Table.Td>
            <Table.Td className="number">{count(jobs)}</Table.Td>
            <Table.Td className="number">{count(minutes)}</Table.Td>
            <Table.Td className="number">{lastSeen}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </WideTable>
  );
}
