import { Badge } from '@mantine/core';
import { sentence } from './figures.ts';

const colors: Record<string, string> = {
  success: 'green',
  active: 'green',
  OK: 'green',
  sent: 'green',
  written: 'green',
  done: 'green',
  receiving: 'green',
  failure: 'red',
  failed: 'red',
  timed_out: 'red',
  startup_failure: 'red',
  failing: 'red',
  triggered: 'red',
  open: 'red',
  'over budget': 'red',
  'over threshold': 'red',
  close: 'yellow',
  retrying: 'yellow',
  waiting: 'yellow',
  quiet: 'yellow',
  in_progress: 'blue',
  pending: 'blue',
  due: 'blue',
  running: 'blue',
};

export function statusInWords(status: string): string {
  return status === 'cancelled' ? 'canceled' : status.replaceAll('_', ' ');
}

export function StatusBadge({ status }: { status: string }) {
  return (
    <Badge variant="dot" color={colors[status] ?? 'gray.6'} tt="none" fw={600} miw="max-content">
      {sentence(statusInWords(status))}
    </Badge>
  );
}
