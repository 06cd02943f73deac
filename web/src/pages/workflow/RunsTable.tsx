import { Anchor, Table, Tooltip } from '@mantine/core';
import { Link } from 'wouter';
import { Money } from '../../shown/Money.tsx';
import { StatusBadge } from '../../shown/StatusBadge.tsx';
import { duration } from '../../shown/figures.ts';
import { breaking, WideTable } from '../../shown/WideTable.tsx';
import type { ListedRun } from './queries.ts';

const local = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

export function RunsTable({ runs }: { runs: ListedRun[] }) {
  return (
    <WideTable label="Runs" minWidth={760}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">Created</Table.Th>
          <Table.Th scope="col">Status</Table.Th>
          {['Cost', 'Duration', 'Attempts'].map((name) => (
            <Table.Th key={name} scope="col" className="number">
              {name}
            </Table.Th>
          ))}
          {['Branch', 'Event', 'By'].map((name) => (
            <Table.Th key={name} scope="col">
              {name}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {runs.map((run) => (
          <Table.Tr key={run.id}>
            <Table.Th scope="row" fw={500}>
              <Tooltip label={`${run.created_at.replace('T', ' ').slice(0, 19)} UTC`}>
                <Anchor component={Link} href={`/runs/${run.id}`} size="sm">
                  {local.format(new Date(run.created_at))}
                </Anchor>
              </Tooltip>
            </Table.Th>
            <Table.Td miw={140}>
              <StatusBadge status={run.conclusion ?? run.status} />
            </Table.Td>
            <Table.Td className="number">
              <Money amount={run.cost} />
            </Table.Td>
            <Table.Td className="number">{run.completed_at ? duration(run.duration_seconds) : '–'}</Table.Td>
            <Table.Td className="number">{run.attempt}</Table.Td>
            <Table.Td style={breaking}>{run.branch ?? '–'}</Table.Td>
            <Table.Td>{run.event ?? '–'}</Table.Td>
            <Table.Td style={breaking}>{run.actor ?? '–'}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </WideTable>
  );
}
