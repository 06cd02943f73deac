import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { Dialog } from '../../shown/Dialog.tsx';
import { FormFault } from '../../shown/FormFault.tsx';
import { useChange } from '../../shown/useChange.ts';
import { webhooksKey, type DetailedWebhook } from './queries.ts';
import { WebhookFields, type WebhookValues } from './WebhookFields.tsx';

export function EditWebhook({ webhook, onClose }: { webhook: DetailedWebhook; onClose: () => void }) {
  const [values, setValues] = useState({ url: webhook.url, events: webhook.events } as WebhookValues);
  const change = useChange({
    act: async () => {
      const { id } = webhook;
      await api.PUT('/api/v1/webhooks/{id}', { params: { path: { id } }, body: values });
    },
    done: 'The webhook has been changed.',
    refresh: [webhooksKey],
    isFaultShown: true,
  });
  return (
    <Dialog onClose={onClose} title="Edit the webhook">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          change.mutate(undefined, { onSuccess: onClose });
        }}
      >
        <Stack>
          <WebhookFields values={values} onChange={setValues} error={change.error} />
          <Text size="sm" c="dimmed">
            A changed URL holds for deliveries that wait already, too.
          </Text>
          <FormFault error={change.error} fields={['url', 'events']} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={change.isPending}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
