import { Type } from 'typebox';
import {
  Name,
  nameOf,
  nullable,
  nullableText,
  readOnly,
  readOnlyFields,
  sampleChannelId as sampleId,
  sampleText,
  Timestamp,
  words,
} from '../../platform/http/schemas.ts';
import { chatFormats, type ChatWebhook } from './chatWebhook.ts';
import { maxTextLength } from './settings.ts';

const formatWords = (description: string) => words(chatFormats, { description });
const chatUrl = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: maxTextLength, description }));

export const ChatWebhookSchema = Type.Unsafe<ChatWebhook>({
  anyOf: [
    Type.Object({ host: sampleText('hooks.slack.com'), format: formatWords('format of the messages') }),
    Type.Null(),
  ],
  description:
    'the channel named `default`, if it is a chat: alerts go there that choose no channel. The address is a secret and never shown',
});

export const ChatWebhookInputSchema = nullable(
  Type.Object(
    {
      url: chatUrl('optional if a chat webhook is already set'),
      format: Type.Optional(formatWords('format of the messages')),
      host: readOnly,
    },
    { additionalProperties: false },
  ),
);

export const TestChatBody = Type.Object(
  {
    url: chatUrl('the saved one by default'),
    format: Type.Optional(formatWords('format of the messages; defaults to the saved one, otherwise slack')),
  },
  {
    additionalProperties: false,
    examples: [{ url: 'https://chat.acme.example/hooks/ci', format: 'slack' }],
  },
);

export const ChannelKindsSchema = Type.Array(
  Type.Object({
    kind: sampleText('slack'),
    title: sampleText('Slack'),
    description: sampleText('Posts to a channel of Slack.'),
    takes_digests: Type.Boolean({ description: 'false if it gets alerts only' }),
    takes_resolutions: Type.Boolean({
      description: 'whether it also gets a message when an alert is resolved',
    }),
    fields: Type.Array(
      Type.Object({
        name: sampleText('url', 'its name in `settings`'),
        title: sampleText('Incoming webhook address'),
        type: words(['url', 'text', 'emails', 'choice'], {
          description: '`emails` is a list of addresses, `choice` one of `choices`; the others are texts',
        }),
        is_secret: Type.Boolean({ description: 'whether it is stored encrypted and shown only in part' }),
        is_required: Type.Boolean(),
        help: sampleText('In Slack, add an incoming webhook to the channel and copy its address.'),
        example: nullableText('https://hooks.slack.com/services/…'),
        choices: Type.Array(Type.Object({ value: sampleText('us'), label: sampleText('United States') }), {
          description: 'empty unless it is a `choice`',
        }),
      }),
    ),
  }),
);

const Value = Type.Unsafe<string | readonly string[]>({
  anyOf: [Type.String({ maxLength: 10_000 }), Type.Array(Type.String({ maxLength: 254 }), { maxItems: 200 })],
});
const settingsOf = (description: string) =>
  Type.Unsafe<Record<string, string | readonly string[]>>({
    type: 'object',
    additionalProperties: Value,
    description,
    examples: [{ url: 'https://hooks.slack.com/services/…' }],
  });

const ofKind = 'a value for each field of its kind; GET /api/v1/channel-kinds lists them';
const teams = Type.Array(nameOf({ maxLength: 255, examples: ['Platform'] }), {
  maxItems: 100,
  description: 'alerts about these teams that choose no channel go here',
  examples: [['Platform']],
});
const kind = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'one of GET /api/v1/channel-kinds',
  examples: ['slack'],
});

export const ChannelSchema = Type.Object({
  id: sampleText(sampleId),
  name: sampleText('platform', 'alerts that choose no channel go to the one named `default`'),
  kind: sampleText('slack'),
  settings: Type.Unsafe<Record<string, string | readonly string[]>>({
    type: 'object',
    additionalProperties: Value,
    description:
      'a value for each field of its kind. Secret ones are shown in part: the host of an address, the end of a key',
    examples: [{ url: 'hooks.slack.com/…' }],
  }),
  teams,
  last_message: nullable(
    Type.Object(
      {
        status: words(['pending', 'sent', 'failed']),
        at: Timestamp,
        error: nullableText('the receiver answered 404', 'why the last attempt failed'),
      },
      { description: 'the newest message that was tried, of the last 60 days; null without one' },
    ),
  ),
  created_at: Timestamp,
  updated_at: Timestamp,
});

const ignored = readOnlyFields('id', 'last_message', 'created_at', 'updated_at');

export const NewChannelBody = Type.Object(
  { name: Name, kind, settings: Type.Optional(settingsOf(ofKind)), teams: Type.Optional(teams), ...ignored },
  {
    additionalProperties: false,
    examples: [
      { name: 'platform', kind: 'slack', settings: { url: 'https://chat.acme.example/hooks/platform' } },
    ],
  },
);

export const ChannelChangesBody = Type.Object(
  {
    name: Type.Optional(Name),
    kind: readOnly,
    settings: Type.Optional(settingsOf('the fields that change; a secret as it is shown keeps its value')),
    teams: Type.Optional(teams),
    ...ignored,
  },
  { additionalProperties: false, examples: [{ name: 'platform team' }] },
);

export const TestChannelBody = Type.Object(
  {
    channel_id: Type.Optional(sampleText(sampleId, 'the channel to test, with its saved settings')),
    kind: Type.Optional(kind),
    settings: Type.Optional(settingsOf(`${ofKind}. With \`channel_id\`, the fields that differ`)),
  },
  {
    additionalProperties: false,
    examples: [{ kind: 'slack', settings: { url: 'https://chat.acme.example/hooks/platform' } }],
  },
);
