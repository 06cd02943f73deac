import { Checkbox, Code, Loader, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Failed } from '../../../ui/Failed.tsx';
import { errorOf } from '../../../ui/useChange.ts';
import { eventTypesQuery, type EventKind } from './queries.ts';

export type WebhookValues = { url: string; events: EventKind[] };

type Props = {
  values: WebhookValues;
  onChange: (values: WebhookValues) => void;
  error: Error | null;
};

export function WebhookFields({ values, onChange, error }: Props) {
  return (
    <>
      <TextInput
        label="URL"
        description="We post events to this address. The server must be able to reach it."
        placeholder="https://example.com/runcost"
        type="url"
        required
        maxLength={2048}
        data-autofocus
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
              label={<Code>{name}</Code>}
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
