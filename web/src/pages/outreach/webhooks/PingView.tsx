import { Button, Group, Loader, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Dialog } from '../../../ui/Dialog.tsx';
import { Failed } from '../../../ui/Failed.tsx';
import { AttemptView } from './AttemptView.tsx';
import { deliveryQuery, isMoving, webhookKey } from './queries.ts';

type Props = { webhookId: string; deliveryId: string; onAgain: () => void; onClose: () => void };

export function PingView({ webhookId, deliveryId, onAgain, onClose }: Props) {
  const { data, error } = useQuery(deliveryQuery(webhookId, deliveryId, 2_000));
  const isUnderWay = !data || isMoving(data);
  const queryClient = useQueryClient();
  useEffect(() => {
    if (!isUnderWay) void queryClient.invalidateQueries({ queryKey: webhookKey(webhookId) });
  }, [isUnderWay, queryClient, webhookId]);
  return (
    <Dialog onClose={onClose} title="Ping">
      <Stack mih={220} justify="space-between">
        <Stack gap="sm">
          <Group gap="xs" role="status" mih={28}>
            {isUnderWay && !error && <Loader size="sm" aria-hidden />}
            <Text>
              {isUnderWay
                ? 'Sending the test event webhook.ping…'
                : data.status === 'success'
                  ? 'Delivered: your server responded with 2xx.'
                  : 'Not delivered. We do not retry a ping.'}
            </Text>
          </Group>
          {error && <Failed error={error} />}
          {data?.attempts_log.map((attempt) => (
            <AttemptView key={attempt.number} attempt={attempt} isPing />
          ))}
        </Stack>
        <Group justify="flex-end">
          <Button variant="default" disabled={isUnderWay} onClick={onAgain}>
            Ping again
          </Button>
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
