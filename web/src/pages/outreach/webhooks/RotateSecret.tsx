import { Code, List, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { webhooksKey } from '../../../api/queries.ts';
import { FormDialog } from '../../../ui/FormDialog.tsx';
import { SecretOnce } from '../../../ui/SecretOnce.tsx';
import { errorOf, useChange } from '../../../ui/useChange.ts';
import { When } from '../../../ui/When.tsx';
import { type DetailedWebhook } from './queries.ts';

export function RotateSecret({ webhook, onClose }: { webhook: DetailedWebhook; onClose: () => void }) {
  const [secret, setSecret] = useState('');
  const rotate = useChange({
    act: async () => {
      const params = { path: { id: webhook.id } };
      const body = secret === '' ? {} : { secret };
      return (await api.POST('/api/v1/webhooks/{id}/rotate-secret', { params, body })).data!.data;
    },
    refresh: [webhooksKey],
    isErrorShown: true,
  });
  if (rotate.data) {
    const { secret: text, promote_at: promoteAt, warnings } = rotate.data;
    return (
      <SecretOnce title="New secret" what="the new secret" value={text} warnings={warnings} onSaved={onClose}>
        Set it on your server before <When at={promoteAt} full />. Until then, <Code>webhook-signature</Code>{' '}
        carries one signature for the old secret and one for the new. After that, only the new one.
      </SecretOnce>
    );
  }
  return (
    <FormDialog
      title="Rotate secret"
      label="Create new secret"
      change={rotate}
      fields={['secret']}
      onSubmit={() => rotate.mutate(undefined)}
      onClose={onClose}
    >
      <Text size="sm">The new secret replaces the current one in 24 hours. During these 24 hours:</Text>
      <List size="sm">
        <List.Item>
          <Code>webhook-signature</Code> carries two signatures, one for each secret. Switch at any time.
        </List.Item>
        <List.Item>
          <Code>X-Service-Signature</Code> carries one signature. It uses the old secret until the 24 hours
          end.
        </List.Item>
        {webhook.rotation && (
          <List.Item>This discards the previous new secret, which is not in use yet.</List.Item>
        )}
      </List>
      <TextInput
        label="Your own secret (optional)"
        description="At least 16 characters. Leave empty to generate one."
        maxLength={256}
        autoComplete="off"
        spellCheck={false}
        value={secret}
        onChange={(event) => setSecret(event.currentTarget.value)}
        error={errorOf(rotate.error, 'secret')}
      />
    </FormDialog>
  );
}
