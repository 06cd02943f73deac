import { Text } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { webhooksKey } from '../../../api/queries.ts';
import { FormDialog } from '../../../ui/FormDialog.tsx';
import { useChange } from '../../../ui/useChange.ts';
import { type DetailedWebhook } from './queries.ts';
import { bodyOf, WebhookFields, type WebhookValues } from './WebhookFields.tsx';

export function EditWebhook({ webhook, onClose }: { webhook: DetailedWebhook; onClose: () => void }) {
  const [values, setValues] = useState({
    name: webhook.name ?? '',
    url: webhook.url,
    events: webhook.events,
  } as WebhookValues);
  const change = useChange({
    act: async () => {
      const { id } = webhook;
      await api.PUT('/api/v1/webhooks/{id}', { params: { path: { id } }, body: bodyOf(values) });
    },
    done: 'Webhook saved.',
    refresh: [webhooksKey],
    isErrorShown: true,
  });
  return (
    <FormDialog
      title="Edit webhook"
      label="Save"
      isBusy={change.isPending}
      error={change.error}
      fields={['name', 'url', 'events']}
      onSubmit={() => change.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      <WebhookFields values={values} onChange={setValues} error={change.error} />
      <Text size="sm" c="dimmed">
        A new URL also applies to waiting deliveries.
      </Text>
    </FormDialog>
  );
}
