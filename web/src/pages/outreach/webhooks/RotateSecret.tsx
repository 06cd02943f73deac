import { Code, List, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { FormDialog } from '../../../ui/FormDialog.tsx';
import { SecretOnce } from '../../../ui/SecretOnce.tsx';
import { faultOf, useChange } from '../../../ui/useChange.ts';
import { When } from '../../../ui/When.tsx';
import { webhooksKey, type DetailedWebhook } from './queries.ts';

/** Says what a new secret means, makes one, and shows it once. */
export function RotateSecret({ webhook, onClose }: { webhook: DetailedWebhook; onClose: () => void }) {
  const [secret, setSecret] = useState('');
  const rotate = useChange({
    act: async () => {
      const params = { path: { id: webhook.id } };
      const body = secret === '' ? {} : { secret };
      return (await api.POST('/api/v1/webhooks/{id}/rotate-secret', { params, body })).data!.data;
    },
    refresh: [webhooksKey],
    isFaultShown: true,
  });
  if (rotate.data) {
    const { secret: text, promote_at: promoteAt, warnings } = rotate.data;
    return (
      <SecretOnce
        title="The new secret"
        what="the new secret"
        value={text}
        warnings={warnings}
        onKept={onClose}
      >
        Give it to your side before <When at={promoteAt} full />. Until then <Code>webhook-signature</Code>{' '}
        holds a signature by the old secret and one by the new; afterwards only the new one counts.
      </SecretOnce>
    );
  }
  return (
    <FormDialog
      title="Rotate the secret"
      deed="Make a new secret"
      isBusy={rotate.isPending}
      error={rotate.error}
      fields={['secret']}
      onSubmit={() => rotate.mutate(undefined)}
      onClose={onClose}
    >
      <Text size="sm">A new secret takes the place of the present one in 24 hours. In these 24 hours:</Text>
      <List size="sm">
        <List.Item>
          <Code>webhook-signature</Code> holds two signatures, by the old secret and by the new: change over
          at any time.
        </List.Item>
        <List.Item>
          <Code>X-Service-Signature</Code> has room for one only, which stays by the old secret until the 24
          hours are over.
        </List.Item>
        {webhook.rotation && (
          <List.Item>The new secret that was made earlier and is not in use yet no longer counts.</List.Item>
        )}
      </List>
      <TextInput
        label="Secret of your own (optional)"
        description="Left empty, one is made."
        maxLength={256}
        autoComplete="off"
        spellCheck={false}
        value={secret}
        onChange={(event) => setSecret(event.currentTarget.value)}
        error={faultOf(rotate.error, 'secret')}
      />
    </FormDialog>
  );
}
