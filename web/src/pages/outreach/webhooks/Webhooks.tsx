import { useQuery } from '@tanstack/react-query';
import { PageTitle } from '../../../ui/PageTitle.tsx';
import { ResourcePanel } from '../../../ui/ResourcePanel.tsx';
import { AllowedButton, RightsNote, useWhyNot } from '../../../ui/rights.tsx';
import { useCreating } from '../../../ui/useCreating.ts';
import { CreateWebhook } from './CreateWebhook.tsx';
import { NoWebhooks } from './NoWebhooks.tsx';
import { webhooksQuery } from './queries.ts';
import { addressOf, webhookColumns } from './webhookColumns.tsx';

const maxWebhooks = 50;

export function Page() {
  const webhooks = useQuery(webhooksQuery);
  const [isCreating, { open, close }] = useCreating();
  const whyNot = useWhyNot();
  const isFull = (webhooks.data?.length ?? 0) >= maxWebhooks;
  const rightsReason = whyNot({ role: 'admin', scope: 'webhooks:write' });
  const reason =
    rightsReason ??
    (isFull ? `You have reached the limit of ${maxWebhooks} webhooks. Delete one first.` : null);
  return (
    <>
      <PageTitle title="Webhooks" about="Send events to your own systems.">
        <AllowedButton reason={reason} onClick={open}>
          New webhook
        </AllowedButton>
      </PageTitle>
      <RightsNote reason={rightsReason} />
      <ResourcePanel
        label="Webhooks"
        query={webhooks}
        rowsOf={(list) => list}
        columns={webhookColumns(webhooks.data ?? [])}
        keyOf={({ id }) => id}
        hrefOf={addressOf}
        minWidth={860}
        fileName="runcost-webhooks"
        lead={webhooks.data?.length ? `${webhooks.data.length} of ${maxWebhooks}` : null}
        empty={{ title: 'No webhooks yet', text: <NoWebhooks /> }}
      >
        {isCreating && reason === null && <CreateWebhook onClose={close} />}
      </ResourcePanel>
    </>
  );
}
