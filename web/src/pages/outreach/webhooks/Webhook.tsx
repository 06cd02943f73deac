import { Button, Group, Loader, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconDots } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useLocation, useParams } from 'wouter';
import { api } from '../../../api/client.ts';
import { webhooksKey } from '../../../api/queries.ts';
import { nameOf, shortUrl, tabTitleOf } from '../../../parts/webhooks/webhookNames.ts';
import { Dialog } from '../../../ui/Dialog.tsx';
import { Failed, isNotFound, Loaded } from '../../../ui/Loaded.tsx';
import { NotFound } from '../../../ui/Lost.tsx';
import { PageTitle, Panel } from '../../../ui/Panel.tsx';
import { RightsNote, SmallButton, useWhyNot, small } from '../../../ui/rights.tsx';
import { ConfirmRemoval, type Removal } from '../../../ui/rowActions.tsx';
import { ActionMenu } from '../../../ui/RowMenu.tsx';
import { StatusBadge, When } from '../../../ui/text.tsx';
import { useChange } from '../../../ui/useChange.ts';
import { useVisit } from '../../../ui/visits.ts';
import { Deliveries } from './Deliveries.tsx';
import { AttemptView } from './DeliveryView.tsx';
import { Health } from './Health.tsx';
import {
  deliveryQuery,
  type DetailedWebhook,
  isMoving,
  latestResendQuery,
  webhookKey,
  webhookQuery,
} from './queries.ts';
import { ResendProgress, SendMany } from './SendMany.tsx';
import { Events, shownStatus } from './webhookColumns.tsx';
import { EditWebhook, RotateSecret } from './WebhookForms.tsx';

export function Page() {
  const { id } = useParams<{ id: string }>();
  const webhook = useQuery(webhookQuery(id));
  useVisit('webhook', webhook.data && tabTitleOf(webhook.data));
  if (isNotFound(webhook.error)) return <NotFound what="webhook" href="/webhooks" list="webhooks" />;
  return (
    <>
      {!webhook.data && <PageTitle title="Webhook" />}
      <Loaded query={webhook} height={560}>
        {(data) => <WebhookView webhook={data} />}
      </Loaded>
    </>
  );
}

function WebhookView({ webhook }: { webhook: DetailedWebhook }) {
  const [isSending, { open, close }] = useDisclosure();
  const whyNot = useWhyNot();
  const reason = whyNot({ role: 'admin', scope: 'webhooks:write' });
  return (
    <>
      <PageTitle
        back={{ href: '/webhooks', label: 'All webhooks' }}
        title={nameOf(webhook)}
        tabTitle={tabTitleOf(webhook)}
        badge={<StatusBadge status={shownStatus(webhook)} />}
        about={<About webhook={webhook} />}
      >
        <Actions webhook={webhook} reason={reason} />
      </PageTitle>
      <RightsNote reason={reason} />
      <Health webhook={webhook} onResendMany={open} />
      <RunningResend webhookId={webhook.id} reason={reason} />
      <Deliveries webhookId={webhook.id} reason={reason} onResendMany={open} />
      {isSending && <SendMany webhookId={webhook.id} onClose={close} />}
    </>
  );
}

function About({ webhook }: { webhook: DetailedWebhook }) {
  return (
    <div className="webhook-facts">
      {webhook.name !== null && <span>{shortUrl(webhook.url)}</span>}
      <Events events={webhook.events} />
      <span>Secret {webhook.secret_prefix}</span>
      <span>
        Created <When at={webhook.created_at} />
      </span>
    </div>
  );
}

function RunningResend({ webhookId, reason }: { webhookId: string; reason: string | null }) {
  const { data: resend } = useQuery(latestResendQuery(webhookId));
  if (resend?.status !== 'running') return null;
  return (
    <Panel title="Resend in progress">
      <ResendProgress webhookId={webhookId} resend={resend} reason={reason} />
    </Panel>
  );
}

type Props = { webhook: DetailedWebhook; reason: string | null };
type Opened = 'edit' | 'rotate' | 'delete' | null;

function Actions({ webhook, reason }: Props) {
  const [opened, setOpened] = useState<Opened>(null);
  const close = () => setOpened(null);
  return (
    <>
      <Ping webhookId={webhook.id} reason={reason} />
      <PauseOrResume webhook={webhook} reason={reason} />
      {reason === null && (
        <ActionMenu
          target={(props) => (
            <Button {...small} {...props} px={5} aria-label="More actions" data-hint="More actions">
              <IconDots size={16} />
            </Button>
          )}
          items={[
            { label: 'Edit', onClick: () => setOpened('edit') },
            { label: 'Rotate secret', onClick: () => setOpened('rotate') },
            { label: 'Delete', onClick: () => setOpened('delete') },
          ]}
        />
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
      <SmallButton reason={reason} loading={ping.isPending} onClick={again}>
        Ping
      </SmallButton>
      {ping.data && (
        <PingView webhookId={webhookId} deliveryId={ping.data.id} onAgain={again} onClose={ping.reset} />
      )}
    </>
  );
}

const paused = 'Paused. We hold events for 30 days.';

const setPaused = (id: string, isPaused: boolean) =>
  api.PUT('/api/v1/webhooks/{id}', {
    params: { path: { id } },
    body: { status: isPaused ? 'paused' : 'active' },
  });

function PauseOrResume({ webhook, reason }: Props) {
  const isPaused = webhook.status === 'paused';
  const change = useChange({
    act: () => setPaused(webhook.id, !isPaused),
    done: isPaused ? 'Resumed. We send the held events now.' : paused,
    refresh: [webhooksKey],
  });
  return (
    <SmallButton reason={reason} loading={change.isPending} onClick={() => change.mutate(undefined)}>
      {isPaused ? 'Resume' : 'Pause'}
    </SmallButton>
  );
}

const removal: Removal<DetailedWebhook> = {
  what: 'webhook',
  text: (webhook) =>
    `${webhook.url} gets no more events. Its history is deleted, and waiting events are not sent.` +
    (webhook.status === 'paused' ? '' : ' Pause it to keep its history and waiting events.'),
  act: ({ id }) => api.DELETE('/api/v1/webhooks/{id}', { params: { path: { id } } }),
  done: () => 'Webhook deleted.',
  refresh: [],
  instead: ({ id, status }) => {
    if (status === 'paused') return null;
    const act = () => setPaused(id, true);
    return { label: 'Pause instead', act, done: paused, refresh: [webhooksKey] };
  },
};

function DeleteWebhook({ webhook, onClose }: { webhook: DetailedWebhook; onClose: () => void }) {
  const [, navigate] = useLocation();
  const queryClient = useQueryClient();
  // Reloads only the list, because this page would get a 404 for the webhook.
  const leave = () => {
    navigate('/webhooks');
    void queryClient.invalidateQueries({ queryKey: webhooksKey, exact: true });
  };
  return <ConfirmRemoval row={webhook} removal={removal} onRemoved={leave} onClose={onClose} />;
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
