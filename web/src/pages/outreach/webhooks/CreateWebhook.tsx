import { TextInput, Code } from '@mantine/core';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { api } from '../../../api/client.ts';
import { webhooksKey } from '../../../api/queries.ts';
import { FormDialog } from '../../../ui/FormDialog.tsx';
import { SecretOnce } from '../../../ui/SecretOnce.tsx';
import { errorOf, useChange } from '../../../ui/useChange.ts';
import { bodyOf, WebhookFields, type WebhookValues } from './WebhookFields.tsx';

export function CreateWebhook({ onClose }: { onClose: () => void }) {
  const [values, setValues] = useState<WebhookValues>({
    name: '',
    url: '',
    events: ['workflow.completed', 'alert.triggered'],
  });
  const [secret, setSecret] = useState('');
  const [, navigate] = useLocation();
  const create = useChange({
    act: async () => {
      const body = { ...bodyOf(values), ...(secret === '' ? {} : { secret }) };
      return (await api.POST('/api/v1/webhooks', { body })).data!.data;
    },
    refresh: [webhooksKey],
    isErrorShown: true,
  });
  if (create.data) {
    const { id, secret: text, warnings } = create.data;
    return (
      <SecretOnce
        title="Webhook secret"
        what="the secret"
        value={text}
        warnings={warnings}
        onSaved={() => navigate(`/webhooks/${id}`)}
      >
        <VerifyHint />
      </SecretOnce>
    );
  }
  return (
    <FormDialog
      title="New webhook"
      label="Create webhook"
      change={create}
      fields={['name', 'url', 'events', 'secret']}
      onSubmit={() => create.mutate(undefined)}
      onClose={onClose}
    >
      <WebhookFields values={values} onChange={setValues} error={create.error} />
      <TextInput
        label="Your own secret (optional)"
        description="At least 16 characters. Leave empty to generate one."
        maxLength={256}
        autoComplete="off"
        spellCheck={false}
        value={secret}
        onChange={(event) => setSecret(event.currentTarget.value)}
        error={errorOf(create.error, 'secret')}
      />
    </FormDialog>
  );
}

function VerifyHint() {
  return (
    <>
      Use it to verify <Code>webhook-signature</Code> over the raw bytes of the body. The Standard Webhooks
      libraries do this.
    </>
  );
}
