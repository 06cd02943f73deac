import { Badge } from '@mantine/core';

const colors: Record<string, string> = {
  success: 'green',
  active: 'green',
  ok: 'green',
  sent: 'green',
  written: 'green',
  done: 'green',
  failure: 'red',
  failed: 'red',
  failing: 'red',
  triggered: 'red',
  open: 'red',
  over: 'red',
  close: 'yellow',
  retrying: 'yellow',
  fine: 'green',
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
      {statusInWords(status)}
    </Badge>
  );
}
