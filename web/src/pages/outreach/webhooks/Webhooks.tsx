import { IconWebhook } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { webhooksQuery } from '../../../api/queries.ts';
import { CommandFold } from '../../../ui/Command.tsx';
import { countOf } from '../../../ui/figures.ts';
import { PageTitle } from '../../../ui/Panel.tsx';
import { ResourcePanel } from '../../../ui/ResourcePanel.tsx';
import { AllowedButton, RightsNote, useWhyNot } from '../../../ui/rights.tsx';
import { useCreating } from '../../../ui/useCreating.ts';
import { addressOf, webhookColumns } from './webhookColumns.tsx';
import { CreateWebhook } from './WebhookForms.tsx';

const maxWebhooks = 50;

const leadOf = (count: number) => `${countOf(count, 'webhook')}${count > 40 ? ` of ${maxWebhooks}` : ''}`;

export function Page() {
  const webhooks = useQuery(webhooksQuery);
  const [isCreating, { open, close }] = useCreating();
  const whyNot = useWhyNot();
  const isFull = (webhooks.data?.length ?? 0) >= maxWebhooks;
  const rightsReason = whyNot({ role: 'admin', scope: 'webhooks:write' });
  const reason =
    rightsReason ??
    (isFull ? `You have reached the limit of ${maxWebhooks} webhooks. Delete one first.` : null);
  const create = (
    <AllowedButton reason={reason} onClick={open}>
      New webhook
    </AllowedButton>
  );
  return (
    <>
      <PageTitle title="Webhooks" about="Send events to your own systems.">
        {webhooks.data?.length !== 0 && create}
      </PageTitle>
      <RightsNote reason={rightsReason} />
      <ResourcePanel
        label="Webhooks"
        query={webhooks}
        columns={webhookColumns(webhooks.data ?? [])}
        hrefOf={addressOf}
        minWidth={860}
        fileName="runcost-webhooks"
        lead={webhooks.data?.length ? leadOf(webhooks.data.length) : null}
        empty={{
          icon: IconWebhook,
          title: 'No webhooks yet',
          text: 'Your systems learn when the cost of a run is final, an alert triggers or half of a budget is spent. Each event is signed, and a failed delivery is retried.',
          action: create,
          more: <WebhookCommand />,
        }}
      >
        {isCreating && reason === null && <CreateWebhook onClose={close} />}
      </ResourcePanel>
    </>
  );
}

function WebhookCommand() {
  // Run in the reader's own terminal, which reaches what this browser reaches.
  const command = `curl -s -X POST ${location.origin}/api/v1/webhooks \\
  -H "Authorization: Bearer $RUNCOST_TOKEN" -H 'Content-Type: application/json' \\
  -d '{"url": "https://example.com/runcost", "events": ["workflow.completed", "alert.triggered"]}'`;
  return (
    <CommandFold
      title="With a token that has the webhooks:write scope"
      label="Command that creates a webhook"
      command={command}
    />
  );
}
