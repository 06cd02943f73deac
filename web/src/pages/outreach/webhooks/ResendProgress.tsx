import { Group, Progress, Stack, Text } from '@mantine/core';
import { api } from '../../../api/client.ts';
import { count } from '../../../ui/figures.ts';
import { Note } from '../../../ui/Note.tsx';
import { AllowedButton } from '../../../ui/rights.tsx';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { useChange } from '../../../ui/useChange.ts';
import { When } from '../../../ui/When.tsx';
import { webhookKey, type Resend } from './queries.ts';

type Props = { webhookId: string; resend: Resend; reason: string | null };

export function ResendProgress({ webhookId, resend, reason }: Props) {
  const cancel = useChange({
    act: async () => {
      const path = { id: webhookId, resend_id: resend.id };
      await api.POST('/api/v1/webhooks/{id}/resends/{resend_id}/cancel', { params: { path } });
    },
    done: 'Canceled. Deliveries already queued are still sent.',
    refresh: [webhookKey(webhookId)],
  });
  const { resent, total, filter } = resend;
  const percent = total === 0 ? 100 : (100 * resent) / total;
  return (
    <Stack gap="xs">
      <Group justify="space-between" gap="xs">
        <Group gap="xs">
          <StatusBadge status={resend.status} />
          <Text role="status" style={{ fontVariantNumeric: 'tabular-nums' }}>
            {count(resent)} of {count(total)} queued
          </Text>
        </Group>
        {resend.status === 'running' && (
          <AllowedButton
            size="compact-sm"
            variant="default"
            reason={reason}
            loading={cancel.isPending}
            onClick={() => cancel.mutate(undefined)}
          >
            Cancel the rest
          </AllowedButton>
        )}
      </Group>
      <Progress value={percent} aria-label={`${count(resent)} of ${count(total)}`} />
      <Note>
        Deliveries with status {filter.status}
        {filter.event && `, of ${filter.event}`}, created from <When at={filter.since} full /> to{' '}
        <When at={filter.until} full />
      </Note>
    </Stack>
  );
}
