import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useParams } from 'wouter';
import { nameOf, shortUrl, tabTitleOf } from '../../../parts/webhookNames.ts';
import { isNotFound } from '../../../ui/Failed.tsx';
import { Loaded } from '../../../ui/Loaded.tsx';
import { NotFound } from '../../../ui/NotFound.tsx';
import { PageTitle } from '../../../ui/PageTitle.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { RightsNote, useWhyNot } from '../../../ui/rights.tsx';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { useVisit } from '../../../ui/visits.ts';
import { When } from '../../../ui/When.tsx';
import { Actions } from './Actions.tsx';
import { Deliveries } from './Deliveries.tsx';
import { Health } from './Health.tsx';
import { latestResendQuery, webhookQuery, type DetailedWebhook } from './queries.ts';
import { ResendProgress } from './ResendProgress.tsx';
import { SendMany } from './SendMany.tsx';
import { Events, shownStatus } from './webhookColumns.tsx';

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
