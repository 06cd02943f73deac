import { Group, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconAlertTriangle, IconChevronRight } from '@tabler/icons-react';
import { count, duration } from '../../../ui/figures.ts';
import { Note, StatusBadge } from '../../../ui/text.tsx';
import { meaningOf } from './flags.ts';
import { GanttBar, runnerOf } from './Gantt.tsx';
import type { Job } from './queries.ts';
import { Receipt } from './Receipt.tsx';
import { receiptDollars } from './receiptDollars.ts';
import type { Bar } from './timeline.ts';

const columnsOfJobs = 4;

export function JobRow({ job, bar, color }: { job: Job; bar: Bar; color: string }) {
  const [isOpen, { toggle }] = useDisclosure();
  const { receipt } = job;
  const status = job.raw_conclusion ?? job.status;
  // Most jobs succeed, so only other states stand out.
  const isSuccess = status === 'success';
  const isOver = job.status === 'completed';
  return (
    <>
      <tr style={receipt.is_carried_over ? { color: 'var(--mantine-color-dimmed)' } : {}}>
        <th scope="row" className="breaking">
          <UnstyledButton className="row-link" fz="sm" fw={500} onClick={toggle} aria-expanded={isOpen}>
            <IconChevronRight
              size={14}
              aria-hidden="true"
              style={{ verticalAlign: -2, marginInlineEnd: 4, rotate: isOpen ? '90deg' : '0deg' }}
            />
            {job.name ?? job.job_id}
          </UnstyledButton>
          <Group gap={6} mt={2}>
            {isSuccess ? (
              <span className="job-success" role="img" aria-label="Success" title="Success" />
            ) : (
              <StatusBadge status={status} />
            )}
            <Note span size="xs">
              {runnerOf(job)}
              {receipt.seconds > 0 && ` · ${duration(Math.round(receipt.seconds))}`}
            </Note>
            <Issues job={job} />
          </Group>
        </th>
        <td className="gantt-cell">
          <GanttBar job={job} bar={bar} color={color} />
        </td>
        <td className="number gantt-minutes">{isOver ? count(receipt.billed_minutes) : '–'}</td>
        <td className="number">
          {receipt.is_carried_over ? 'billed earlier' : isOver ? receiptDollars(receipt.cost) : '–'}
        </td>
      </tr>
      {isOpen && (
        <tr>
          <td colSpan={columnsOfJobs} style={{ whiteSpace: 'normal' }}>
            <Receipt job={job} />
          </td>
        </tr>
      )}
    </>
  );
}

const plainIssues = new Set(['unpriced', 'carried over']);

function Issues({ job: { receipt, flags } }: { job: Job }) {
  const issues = [
    ...(receipt.is_carried_over ? ['carried over'] : []),
    ...(receipt.is_unpriced ? ['unpriced'] : []),
    ...flags.map((flag) => meaningOf(flag).title.toLowerCase()),
  ];
  return issues.map((issue) => (
    <Note key={issue} span size="xs" className="job-issue">
      {!plainIssues.has(issue) && <IconAlertTriangle size={13} aria-hidden="true" />}
      {issue}
    </Note>
  ));
}
