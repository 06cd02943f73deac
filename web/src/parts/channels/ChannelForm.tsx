import { Button, Group } from '@mantine/core';
import { api } from '../../api/client.ts';
import { organizationKey } from '../../api/queries.ts';
import { Form, type Item } from '../../ui/Form.tsx';
import { useChange } from '../../ui/useChange.ts';
import { type Channel, channelsKey, type Field, type Kind } from './channels.ts';
import { TestOutcome } from './TestOutcome.tsx';

/** Settings have the names that the server gives them. */
type Values = { kind: string; name: string; teams: string; [setting: `settings.${string}`]: string };

const nameOf = ({ name }: Field) => `settings.${name}` as const;

/** As they are saved, but for secrets, which stay empty until somebody types another. */
function settingsOf(kind: Kind | undefined, channel: Channel | null): Partial<Values> {
  return Object.fromEntries(
    (kind?.fields ?? []).map((field) => {
      const saved = field.is_secret ? undefined : channel?.settings[field.name];
      return [nameOf(field), [saved ?? field.choices[0]?.value ?? ''].flat().join(', ')];
    }),
  );
}

type Props = {
  kinds: readonly Kind[];
  channel: Channel | null;
  suggestedName: string;
  onClose: () => void;
  onCreated?: (id: string) => void;
};

/** The fields come from the kind, so a new kind needs nothing here. */
export function ChannelForm({ kinds, channel, suggestedName, onClose, onCreated }: Props) {
  const kindOf = (name: string | null | undefined) => kinds.find(({ kind }) => kind === name);
  const fieldsIn = ({ kind }: Values) => kindOf(kind)?.fields ?? [];
  const settingsIn = (values: Values) =>
    Object.fromEntries(
      fieldsIn(values).flatMap((field) => {
        const value = values[nameOf(field)]?.trim();
        return value ? [[field.name, value]] : [];
      }),
    );
  const isIncomplete = (values: Values) =>
    fieldsIn(values).some(
      ({ name, is_required: isRequired, is_secret: isSecret }) =>
        isRequired && !settingsIn(values)[name] && !(isSecret && channel?.settings[name] !== undefined),
    );
  const test = useChange({
    act: async (values: Values) => {
      const what = channel ? { channel_id: channel.id } : { kind: values.kind };
      const body = { ...what, settings: settingsIn(values) };
      return (await api.POST('/api/v1/channels/test', { body })).data!.data;
    },
    isErrorShown: true,
  });
  const kind = channel?.kind ?? kinds[0]?.kind ?? '';
  const initial: Values = {
    kind,
    name: channel?.name ?? suggestedName,
    teams: channel?.teams.join(', ') ?? '',
    ...settingsOf(kindOf(kind), channel),
  };
  return (
    <Form
      title={channel ? `Edit ${channel.name}` : 'New channel'}
      label={channel ? 'Save changes' : 'Create channel'}
      initial={initial}
      isDisabled={isIncomplete}
      error={test.error}
      // Its result is that of the values before.
      onChange={test.reset}
      fields={({ values, change }) => [
        !channel && {
          name: 'kind',
          kind: 'choice',
          label: 'Kind',
          description: kindOf(values.kind)?.description,
          options: kinds.map(({ kind: value, title }) => ({ value, label: title })),
          onChosen: (chosen) => change(settingsOf(kindOf(chosen), null)),
        },
        {
          name: 'name',
          label: 'Name',
          description: 'Alerts that choose no channel go to the one named default.',
          required: true,
          maxLength: 255,
        },
        ...fieldsIn(values).map((field) => settingOf(field, channel)),
        {
          name: 'teams',
          label: 'Teams',
          description:
            'Alerts about these teams go here, unless they choose a channel. Separate several with commas.',
        },
        <Group>
          <Button
            variant="default"
            disabled={isIncomplete(values)}
            loading={test.isPending}
            onClick={() => {
              // The error of an earlier save goes, which would hide that of the test.
              change({});
              test.mutate(values);
            }}
          >
            Send a test message
          </Button>
        </Group>,
        <TestOutcome outcome={test.data} recipient="The receiver" />,
      ]}
      act={async (values) => {
        const teams = values.teams.split(',').map((each) => each.trim());
        const body = { name: values.name, teams: teams.filter(Boolean), settings: settingsIn(values) };
        if (channel) await api.PUT('/api/v1/channels/{id}', { params: { path: { id: channel.id } }, body });
        else {
          const { data } = await api.POST('/api/v1/channels', { body: { ...body, kind: values.kind } });
          onCreated?.(data!.data.id);
        }
      }}
      done="Channel saved."
      refresh={[channelsKey, organizationKey]}
      onClose={onClose}
    />
  );
}

function settingOf(field: Field, channel: Channel | null): Item<Values> {
  const { title, type, help, example, choices, is_secret: isSecret, is_required: isRequired } = field;
  const name = nameOf(field);
  if (type === 'choice') return { name, kind: 'choice', label: title, description: help, options: choices };
  const shown = channel?.settings[field.name];
  const isSaved = isSecret && shown !== undefined;
  return {
    name,
    label: title,
    description: isSaved ? `Leave empty to keep the current one (${[shown].flat().join(', ')}).` : help,
    type: type === 'url' ? 'url' : 'text',
    placeholder: example ?? undefined,
    required: isRequired && !isSaved,
    autoComplete: 'off',
    spellCheck: false,
  };
}
