import { Checkbox, Code, Loader, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Failed } from '../../../ui/Failed.tsx';
import { errorOf } from '../../../ui/useChange.ts';
import { eventTypesQuery, type EventKind } from './queries.ts';
import './webhooks.css';
import { eventTitle } from './words.ts';

export type WebhookValues = { name: string; url: string; events: EventKind[] };

export function bodyOf({ name, ...values }: WebhookValues) {
  return { ...values, name: name.trim() || null };
}

type Props = {
  values: WebhookValues;
  onChange: (values: WebhookValues) => void;
  error: Error | null;
};

export function WebhookFields({ values, onChange, error }: Props) {
  return (
    <>
      <TextInput
        label="Name (optional)"
        data-autofocus
        maxLength={255}
        autoComplete="off"
        value={values.name}
        onChange={(event) => onChange({ ...values, name: event.currentTarget.value })}
        error={errorOf(error, 'name')}
      />
      <TextInput
        label="URL"
        description="Events are posted to this address. This server must be able to reach it."
        placeholder="https://example.com/runcost"
        type="url"
        required
        maxLength={2048}
        value={values.url}
        onChange={(event) => onChange({ ...values, url: event.currentTarget.value })}
        error={errorOf(error, 'url')}
      />
      <EventChoice
        chosen={values.events}
        onChange={(events) => onChange({ ...values, events })}
        error={errorOf(error, 'events')}
      />
    </>
  );
}

type ChoiceProps = { chosen: EventKind[]; onChange: (events: EventKind[]) => void; error: string | null };

function EventChoice({ chosen, onChange, error }: ChoiceProps) {
  const types = useQuery(eventTypesQuery);
  if (types.error) return <Failed error={types.error} retry={() => void types.refetch()} />;
  if (!types.data) return <Loader size="sm" aria-label="Loading event types" />;
  return (
    <Checkbox.Group
      label="Events"
      required
      value={chosen}
      onChange={(events) => onChange(events as EventKind[])}
      error={error}
    >
      <Stack gap="xs" mt="xs">
        {types.data
          .filter(({ name }) => name !== 'webhook.ping')
          .map(({ name, description }) => (
            <Checkbox
              key={name}
              value={name}
              label={
                <>
                  {eventTitle(name)} <Code className="event-id">{name}</Code>
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
