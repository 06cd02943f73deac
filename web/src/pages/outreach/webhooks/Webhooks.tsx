import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Loaded } from '../../../ui/Loaded.tsx';
import { PageTitle } from '../../../ui/PageTitle.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { AllowedButton, RightsNote, useWhyNot } from '../../../ui/rights.tsx';
import { useCreating } from '../../../ui/useCreating.ts';
import { CreateWebhook } from './CreateWebhook.tsx';
import { NoWebhooks } from './NoWebhooks.tsx';
import { webhooksQuery } from './queries.ts';
import { WebhookTable } from './WebhookTable.tsx';

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
      <Loaded query={webhooks} height={320}>
        {(list) =>
          list.length === 0 ? (
            <NoWebhooks />
          ) : (
            <Panel
              title="All webhooks"
              aside={
                <Text size="sm" c="dimmed">
                  {list.length} of {maxWebhooks}
                </Text>
              }
            >
              <WebhookTable webhooks={list} />
            </Panel>
          )
        }
      </Loaded>
      {isCreating && reason === null && <CreateWebhook onClose={close} />}
    </>
  );
}
