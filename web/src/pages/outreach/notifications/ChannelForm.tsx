import { Button, Group, TextInput } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { organizationKey } from '../../../api/queries.ts';
import { channelsKey, type Channel, type Field, type Kind } from '../../../parts/channels.ts';
import { Choice } from '../../../ui/Choice.tsx';
import { FormDialog } from '../../../ui/FormDialog.tsx';
import { errorOf, useChange } from '../../../ui/useChange.ts';
import { TestOutcome } from './TestOutcome.tsx';

type Props = { kinds: readonly Kind[]; channel: Channel | null; suggestedName: string; onClose: () => void };

/** The fields come from the kind, so a new kind needs nothing here. */
export function ChannelForm({ kinds, channel, suggestedName, onClose }: Props) {
  const [kindName, setKindName] = useState(channel?.kind ?? kinds[0]?.kind ?? '');
  const [name, setName] = useState(channel?.name ?? suggestedName);
  const [teams, setTeams] = useState(channel?.teams.join(', ') ?? '');
  const [values, setValues] = useState<Record<string, string>>({});
  const kind = kinds.find((each) => each.kind === kindName);
  const fields = kind?.fields ?? [];
  /** A secret stays empty until somebody types another. */
  const valueOf = (field: Field): string => {
    const saved = field.is_secret ? undefined : channel?.settings[field.name];
    return values[field.name] ?? [saved ?? field.choices[0]?.value ?? []].flat().join(', ');
  };
  const settings = Object.fromEntries(
    fields.filter((field) => valueOf(field) !== '').map((field) => [field.name, valueOf(field)]),
  );
  const { save, test, reset } = useChanges(channel, { kind: kindName, name, teams: listOf(teams), settings });
  const isReady = fields.every((field) => !field.is_required || isFilled(field, channel, valueOf(field)));
  return (
    <FormDialog
      title={channel ? `Edit ${channel.name}` : 'New channel'}
      label={channel ? 'Save changes' : 'Create channel'}
      isDisabled={!isReady}
      change={{ ...save, error: save.error ?? test.error }}
      fields={['name', 'teams', 'settings']}
      onClose={onClose}
    >
      {!channel && (
        <Choice
          label="Kind"
          description={kind?.description}
          options={kinds.map(({ kind: value, title }) => ({ value, label: title }))}
          value={kindName}
          onChange={(value) => {
            reset();
            setKindName(value);
            setValues({});
          }}
        />
      )}
      <TextInput
        label="Name"
        description="Alerts that choose no channel go to the one named default."
        required
        maxLength={255}
        value={name}
        error={errorOf(save.error, 'name')}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      {fields.map((field) => (
        <FieldInput
          key={field.name}
          field={field}
          shown={channel?.settings[field.name]}
          value={valueOf(field)}
          error={errorOf(save.error ?? test.error, `settings.${field.name}`)}
          onChange={(value) => {
            reset();
            setValues({ ...values, [field.name]: value });
          }}
        />
      ))}
      <TextInput
        label="Teams"
        description="Alerts about these teams go here, unless they choose a channel. Separate several with commas."
        value={teams}
        error={errorOf(save.error, 'teams')}
        onChange={(event) => setTeams(event.currentTarget.value)}
      />
      <Group>
        <Button
          variant="default"
          disabled={!isReady}
          loading={test.isPending}
          onClick={() => {
            reset();
            test.mutate(undefined);
          }}
        >
          Send a test message
        </Button>
      </Group>
      <TestOutcome outcome={test.data} recipient="The receiver" />
    </FormDialog>
  );
}

type Entered = { kind: string; name: string; teams: string[]; settings: Record<string, string> };

function useChanges(channel: Channel | null, { kind, ...body }: Entered) {
  const save = useChange({
    act: async () => {
      if (channel) await api.PUT('/api/v1/channels/{id}', { params: { path: { id: channel.id } }, body });
      else await api.POST('/api/v1/channels', { body: { ...body, kind } });
    },
    done: 'Channel saved.',
    refresh: [channelsKey, organizationKey],
    isErrorShown: true,
  });
  const test = useChange({
    act: async () => {
      const what = channel ? { channel_id: channel.id } : { kind };
      return (await api.POST('/api/v1/channels/test', { body: { ...what, settings: body.settings } })).data!
        .data;
    },
    isErrorShown: true,
  });
  /** The results belong to the previous values. */
  const reset = () => {
    save.reset();
    test.reset();
  };
  return { save, test, reset };
}

function listOf(text: string): string[] {
  return text
    .split(',')
    .map((each) => each.trim())
    .filter(Boolean);
}

function isFilled({ name, is_secret }: Field, channel: Channel | null, value: string): boolean {
  return value !== '' || (is_secret && channel?.settings[name] !== undefined);
}

type FieldProps = {
  field: Field;
  /** The saved value; of a secret, the part that we show. */
  shown: string | readonly string[] | undefined;
  value: string;
  error: string | null;
  onChange: (value: string) => void;
};

function FieldInput({ field, shown, value, error, onChange }: FieldProps) {
  const { title, type, help, example, choices, is_secret: isSecret, is_required: isRequired } = field;
  if (type === 'choice') {
    return (
      <Choice
        label={title}
        description={help}
        options={choices}
        value={value}
        error={error}
        onChange={onChange}
      />
    );
  }
  const isSaved = isSecret && shown !== undefined;
  return (
    <TextInput
      label={title}
      description={isSaved ? `Leave empty to keep the current one (${[shown].flat().join(', ')}).` : help}
      type={type === 'url' ? 'url' : 'text'}
      placeholder={example ?? undefined}
      required={isRequired && !isSaved}
      autoComplete="off"
      spellCheck={false}
      value={value}
      error={error}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
