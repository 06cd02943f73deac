import { Anchor } from '@mantine/core';
import { Link } from 'wouter';
import { duration, timeInFull, timeText } from '../../../ui/figures.ts';
import { Money } from '../../../ui/Money.tsx';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { runAddress } from '../../../ui/useAddress.ts';
import { breaking, keptNumber, WideTable } from '../../../ui/WideTable.tsx';
import type { ListedRun } from './queries.ts';

export function RunsTable({ runs }: { runs: ListedRun[] }) {
  return (
    <WideTable label="Runs" minWidth={760}>
      <thead>
        <tr>
          <th scope="col">Created</th>
          <th scope="col" className={keptNumber}>
            Cost
          </th>
          <th scope="col">Status</th>
          {['Duration', 'Attempts'].map((name) => (
            <th key={name} scope="col" className="number">
              {name}
            </th>
          ))}
          {['Branch', 'Event', 'Triggered by'].map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {runs.map((run) => (
          <tr key={run.id}>
            <th scope="row">
              <Anchor
                component={Link}
                href={runAddress(run.id)}
                size="sm"
                aria-description={timeInFull(new Date(run.created_at))}
              >
                {timeText(new Date(run.created_at))}
              </Anchor>
            </th>
            <td className={keptNumber}>
              <Money amount={run.cost} />
            </td>
            <td style={{ minWidth: 140 }}>
              <StatusBadge status={run.conclusion ?? run.status} />
            </td>
            <td className="number">{run.completed_at ? duration(run.duration_seconds) : '–'}</td>
            <td className="number">{run.attempt}</td>
            <td style={breaking}>{run.branch ?? '–'}</td>
            <td>{run.event ?? '–'}</td>
            <td style={breaking}>{run.actor ?? '–'}</td>
          </tr>
        ))}
      </tbody>
    </WideTable>
  );
}
