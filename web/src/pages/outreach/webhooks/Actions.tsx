import { Button, Menu, Text, Group, Loader, Stack } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { useQueryClient, useQuery } from '@tanstack/react-query';
import { useState, useEffect } from 'react';
import { useLocation } from 'wouter';
import { api } from '../../../api/client.ts';
import { webhooksKey } from '../../../api/queries.ts';
import { Confirm } from '../../../ui/Confirm.tsx';
import { Dialog } from '../../../ui/Dialog.tsx';
import { Failed } from '../../../ui/Failed.tsx';
import { AllowedButton } from '../../../ui/rights.tsx';
import { useChange } from '../../../ui/useChange.ts';
import { AttemptView } from './AttemptView.tsx';
import { webhookKey, type DetailedWebhook, deliveryQuery, isMoving } from './queries.ts';
import { EditWebhook, RotateSecret } from './WebhookForms.tsx';

type Props = { webhook: DetailedWebhook; reason: string | null };
type Opened = 'edit' | 'rotate' | 'delete' | null;

export function Actions({ webhook, reason }: Props) {
  const [opened, setOpened] = useState<Opened>(null);
  const close = () => setOpened(null);
  return (
    <>
      <Ping webhookId={webhook.id} reason={reason} />
      <PauseOrResume webhook={webhook} reason={reason} />
      {reason === null && (
        <Menu position="bottom-end" shadow="md">
          <Menu.Target>
            <Button
              variant="default"
              size="compact-sm"
              px={5}
              aria-label="More actions"
              data-hint="More actions"
            >
              <IconDots size={16} />
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item onClick={() => setOpened('edit')}>Edit</Menu.Item>
            <Menu.Item onClick={() => setOpened('rotate')}>Rotate secret</Menu.Item>
            <Menu.Item onClick={() => setOpened('delete')}>Delete</Menu.Item>
          </Menu.Dropdown>
        </Menu>
      )}
      {opened === 'edit' && <EditWebhook webhook={webhook} onClose={close} />}
      {opened === 'rotate' && <RotateSecret webhook={webhook} onClose={close} />}
      {opened === 'delete' && <DeleteWebhook webhook={webhook} onClose={close} />}
    </>
  );
}

function Ping({ webhookId, reason }: { webhookId: string; reason: string | null }) {
  const ping = useChange({
    act: async () => {
      const params = { path: { id: webhookId } };
      return (await api.POST('/api/v1/webhooks/{id}/ping', { params })).data!.data;
    },
    refresh: [webhookKey(webhookId)],
  });
  const again = () => ping.mutate(undefined);
  return (
    <>
      <AllowedButton
        variant="default"
        size="compact-sm"
        reason={reason}
        loading={ping.isPending}
        onClick={again}
      >
        Ping
      </AllowedButton>
      {ping.data && (
        <PingView webhookId={webhookId} deliveryId={ping.data.id} onAgain={again} onClose={ping.reset} />
      )}
    </>
  );
}

function usePause(webhook: DetailedWebhook) {
  const isPaused = webhook.status === 'paused';
  return useChange({
    act: async () => {
      const params = { path: { id: webhook.id } };
      const status = isPaused ? ('active' as const) : ('paused' as const);
      await api.PUT('/api/v1/webhooks/{id}', { params, body: { status } });
    },
    done: isPaused ? 'Resumed. We send the held events now.' : 'Paused. We hold events for 30 days.',
    refresh: [webhooksKey],
  });
}

function PauseOrResume({ webhook, reason }: Props) {
  const change = usePause(webhook);
  return (
    <AllowedButton
      variant="default"
      size="compact-sm"
      reason={reason}
      loading={change.isPending}
      onClick={() => change.mutate(undefined)}
    >
      {webhook.status === 'paused' ? 'Resume' : 'Pause'}
    </AllowedButton>
  );
}

function DeleteWebhook({ webhook, onClose }: { webhook: DetailedWebhook; onClose: () => void }) {
  const [, navigate] = useLocation();
  const queryClient = useQueryClient();
  const remove = useChange({
    act: () => api.DELETE('/api/v1/webhooks/{id}', { params: { path: { id: webhook.id } } }),
    done: 'Webhook deleted.',
  });
  // Reloads only the list, because this page would get a 404 for the webhook.
  const leave = () => {
    navigate('/webhooks');
    void queryClient.invalidateQueries({ queryKey: webhooksKey, exact: true });
  };
  const pause = usePause(webhook);
  // The initial state, because the pressed button must stay until the dialog closes.
  const [canPause] = useState(webhook.status !== 'paused');
  return (
    <Confirm
      title="Delete this webhook?"
      label="Delete webhook"
      instead={
        canPause
          ? {
              label: 'Pause instead',
              isBusy: pause.isPending,
              onClick: () => pause.mutate(undefined, { onSettled: onClose }),
            }
          : undefined
      }
      change={remove}
      onClose={onClose}
      onConfirm={() => remove.mutate(undefined, { onSuccess: leave })}
    >
      {webhook.url} gets no more events. Its history is deleted, and waiting events are not sent.
      {canPause && ' Pause it to keep its history and waiting events.'}
    </Confirm>
  );
}

type PingViewProps = { webhookId: string; deliveryId: string; onAgain: () => void; onClose: () => void };

function PingView({ webhookId, deliveryId, onAgain, onClose }: PingViewProps) {
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
