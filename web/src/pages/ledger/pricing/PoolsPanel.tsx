import { Code, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../../api/client.ts';
import type { Column } from '../../../ui/columns.ts';
import { DataTable } from '../../../ui/DataTable.tsx';
import { exactDollars, longDay } from '../../../ui/figures.ts';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { SmallButton } from '../../../ui/rights.tsx';
import type { RowActions } from '../../../ui/rowActions.tsx';
import { InText, LongText, Note } from '../../../ui/text.tsx';
import { ImportPoolCosts } from './ImportPoolCosts.tsx';
import { PoolForm } from './PoolForm.tsx';
import { afterPoolChange, poolsQuery, type Pool } from './queries.ts';
import { matchWords, periodInWords } from './words.ts';

export function PoolsPanel({ reason }: { reason: string | null }) {
  const pools = useQuery(poolsQuery);
  const [isAdding, { open, close }] = useDisclosure();
  return (
    <Panel
      title="Runner pools"
      aside={
        <Group gap="xs">
          {pools.data && pools.data.length > 0 && <ImportPoolCosts reason={reason} />}
          <SmallButton reason={reason} onClick={open}>
            Add pool
          </SmallButton>
        </Group>
      }
    >
      <Note>
        What your own machines cost. Full cost adds it to list cost: it is spread over the jobs that ran on a
        pool, and idle time is a row of its own.{' '}
        <InText href="/explore?metric=full_cost&group_by=repository">Show the full cost</InText>
      </Note>
      <Loaded query={pools} height={120}>
        {(list) =>
          list.length === 0 ? (
            <Text size="sm">
              No pools yet. Jobs on self-hosted runners cost $0.00 at list price. Add a pool to see what they
              cost you.
            </Text>
          ) : (
            <DataTable
              label="Runner pools"
              minWidth={640}
              rows={list}
              columns={columns}
              rowActions={reason === null ? rowActions : null}
              isStacked
            />
          )
        }
      </Loaded>
      {isAdding && <PoolForm pool={null} onClose={close} />}
    </Panel>
  );
}

const rowActions: RowActions<Pool> = {
  of: ({ name }) => `the pool ${name}`,
  edit: { form: (pool, close) => <PoolForm pool={pool} onClose={close} /> },
  remove: {
    what: 'pool',
    text: ({ name, imported }) =>
      `Jobs that ran on ${name} have no full cost then, in the past, too.${imported ? ' Its imported amounts are deleted.' : ''}`,
    act: ({ id }) => api.DELETE('/api/v1/runner-pools/{id}', { params: { path: { id } } }),
    done: () => 'Pool deleted.',
    refresh: afterPoolChange,
  },
};

const columns: Column<Pool>[] = [
  { title: 'Pool', cell: ({ name }) => <LongText fw={500}>{name}</LongText> },
  {
    title: 'Jobs whose',
    cell: ({ match, pattern }) => (
      <Text size="sm" style={{ overflowWrap: 'anywhere', whiteSpace: 'normal' }}>
        {matchWords[match]} <Code>{pattern}</Code>
      </Text>
    ),
  },
  {
    title: 'Price',
    cell: ({ periods }) => (
      <div>
        {periods.length === 0 && 'None'}
        {periods.map((period) => (
          <div key={period.first_day}>{periodInWords(period)}</div>
        ))}
      </div>
    ),
  },
  {
    title: 'Imported',
    cell: ({ imported }) =>
      imported &&
      `${exactDollars(imported.cost)}, ${longDay(imported.first_day)} to ${longDay(imported.last_day)}`,
  },
];
