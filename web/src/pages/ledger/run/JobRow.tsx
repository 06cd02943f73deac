import { Badge, Group, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { count, duration } from '../../../ui/figures.ts';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { breaking } from '../../../ui/WideTable.tsx';
import { exactDollars } from './exactDollars.ts';
import { meaningOf } from './flags.ts';
import type { Job } from './queries.ts';
import { Receipt } from './Receipt.tsx';

export function JobRow({ job }: { job: Job }) {
  const [isOpen, { toggle }] = useDisclosure();
  const { receipt } = job;
  return (
    <>
      <tr style={receipt.is_carried_over ? { color: 'var(--mantine-color-dimmed)' } : {}}>
        <th scope="row" style={breaking}>
          <UnstyledButton className="row-link" fz="sm" onClick={toggle} aria-expanded={isOpen}>
            <span aria-hidden="true">{isOpen ? '▾' : '▸'} </span>
            {job.name ?? job.job_id}
          </UnstyledButton>
        </th>
        <td style={breaking}>{job.labels.join(', ') || job.runner_name || '–'}</td>
        <td style={{ minWidth: 170 }}>
          <Group gap={4}>
            <StatusBadge status={job.raw_conclusion ?? job.status} />
            <Issues job={job} />
          </Group>
        </td>
        <td className="number">{duration(Math.round(receipt.seconds))}</td>
        <td className="number">{count(receipt.billed_minutes)}</td>
        <td className="number">{receipt.price_book ? exactDollars(receipt.price_per_minute) : '–'}</td>
        <td className="number">{receipt.is_carried_over ? 'billed earlier' : exactDollars(receipt.cost)}</td>
      </tr>
      {isOpen && (
        <tr>
          <td colSpan={7} style={{ whiteSpace: 'normal' }}>
            <Receipt job={job} />
          </td>
        </tr>
      )}
    </>
  );
}

function Issues({ job: { receipt, flags } }: { job: Job }) {
  const issues = [
    ...(receipt.is_carried_over ? ['carried over'] : []),
    ...(receipt.is_unpriced ? ['unpriced'] : []),
    ...flags.map((flag) => meaningOf(flag).title.toLowerCase()),
  ];
  return issues.map((issue) => (
    <Badge
      key={issue}
      variant="outline"
      color={issue === 'carried over' ? 'gray' : 'orange'}
      tt="none"
      styles={{ label: { color: 'var(--mantine-color-text)' } }}
    >
      {issue}
    </Badge>
  ));
}
