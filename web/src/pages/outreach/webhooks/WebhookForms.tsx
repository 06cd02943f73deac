import { Checkbox, Code, List, Loader, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { api } from '../../../api/client.ts';
import { webhooksKey } from '../../../api/queries.ts';
import { Form, type Field, type FormState, type Item } from '../../../ui/Form.tsx';
import { Failed } from '../../../ui/Loaded.tsx';
import { SecretOnce } from '../../../ui/SecretOnce.tsx';
import { Note, When } from '../../../ui/text.tsx';
import { eventTypesQuery, type DetailedWebhook, type EventKind } from './queries.ts';
import './webhooks.css';

type Values = { name: string; url: string; events: EventKind[] };

const bodyOf = ({ name, url, events }: Values) => ({ name: name || null, url, events });

const fieldsOf = ({ input }: Pick<FormState<Values>, 'input'>): Item<Values>[] => [
  { name: 'name', label: 'Name (optional)', 'data-autofocus': true, maxLength: 255, autoComplete: 'off' },
  {
    name: 'url',
    label: 'URL',
    description: 'Events are posted to this address. This server must be able to reach it.',
    placeholder: 'https://example.com/runcost',
    type: 'url',
    required: true,
    maxLength: 2048,
  },
  <EventChoice {...input('events')} />,
];

const ownSecret: Field<{ secret: string }> = {
  name: 'secret',
  isAsTyped: true,
  label: 'Your own secret (optional)',
  description: 'At least 16 characters. Leave empty to generate one.',
  maxLength: 256,
  autoComplete: 'off',
  spellCheck: false,
};

const secretIn = ({ secret }: { secret: string }) => (secret === '' ? {} : { secret });

const created: EventKind[] = ['workflow.completed', 'alert.triggered'];

export function CreateWebhook({ onClose }: { onClose: () => void }) {
  const [, navigate] = useLocation();
  return (
    <Form
      title="New webhook"
      label="Create webhook"
      initial={{ name: '', url: '', events: created, secret: '' }}
      fields={(form) => [...fieldsOf(form), ownSecret]}
      act={async (values) => {
        const body = { ...bodyOf(values), ...secretIn(values) };
        return (await api.POST('/api/v1/webhooks', { body })).data!.data;
      }}
      refresh={[webhooksKey]}
      after={({ id, secret, warnings }) => (
        <SecretOnce
          title="Webhook secret"
          what="the secret"
          value={secret}
          warnings={warnings}
          onSaved={() => navigate(`/webhooks/${id}`)}
        >
          Use it to verify <Code>webhook-signature</Code> over the raw bytes of the body. The Standard
          Webhooks libraries do this.
        </SecretOnce>
      )}
      onClose={onClose}
    />
  );
}

type Props = { webhook: DetailedWebhook; onClose: () => void };

export function EditWebhook({ webhook, onClose }: Props) {
  const { id, name, url, events } = webhook;
  return (
    <Form
      title="Edit webhook"
      label="Save"
      initial={{ name: name ?? '', url, events: events as EventKind[] }}
      fields={(form) => [...fieldsOf(form), <Note>A new URL also applies to waiting deliveries.</Note>]}
      act={(values) => api.PUT('/api/v1/webhooks/{id}', { params: { path: { id } }, body: bodyOf(values) })}
      done="Webhook saved."
      refresh={[webhooksKey]}
      onClose={onClose}
    />
  );
}

export function RotateSecret({ webhook, onClose }: Props) {
  return (
    <Form
      title="Rotate secret"
      label="Create new secret"
      initial={{ secret: '' }}
      fields={[
        <Text size="sm">The new secret replaces the current one in 24 hours. During these 24 hours:</Text>,
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
        </List>,
        ownSecret,
      ]}
      act={async (values) => {
        const params = { path: { id: webhook.id } };
        const body = secretIn(values);
        return (await api.POST('/api/v1/webhooks/{id}/rotate-secret', { params, body })).data!.data;
      }}
      refresh={[webhooksKey]}
      after={({ secret, promote_at: at, warnings }) => (
        <SecretOnce
          title="New secret"
          what="the new secret"
          value={secret}
          warnings={warnings}
          onSaved={onClose}
        >
          Set it on your server before <When at={at} full />. Until then, <Code>webhook-signature</Code>{' '}
          carries one signature for the old secret and one for the new. After that, only the new one.
        </SecretOnce>
      )}
      onClose={onClose}
    />
  );
}

type ChoiceProps = { value: EventKind[]; onChange: (events: EventKind[]) => void; error: string | null };

function EventChoice({ value, onChange, error }: ChoiceProps) {
  const types = useQuery(eventTypesQuery);
  if (types.error) return <Failed error={types.error} retry={() => void types.refetch()} />;
  if (!types.data) return <Loader size="sm" aria-label="Loading event types" />;
  return (
    <Checkbox.Group
      label="Events"
      required
      value={value}
      onChange={(events) => onChange(events as EventKind[])}
      error={error}
    >
      <Stack gap="xs" mt="xs">
        {types.data
          .filter(({ name }) => name !== 'webhook.ping')
          .map(({ name, title, description }) => (
            <Checkbox
              key={name}
              value={name}
              label={
                <>
                  {title} <Code className="event-id">{name}</Code>
                </>
              }
              description={
                <Text span inherit>
                  {description}
                </Text>
              }
            />
          ))}
      </Stack>
    </Checkbox.Group>
  );
}
