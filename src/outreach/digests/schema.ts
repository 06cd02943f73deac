import { Type, type Static } from 'typebox';
import { actorKinds, type ActorKind } from '../../ledger/actors/actorPattern.ts';
import {
  CalendarDay,
  channelIds,
  nameOf,
  nullable,
  nullableObject,
  nullableText,
  NullableTimestamp,
  nullableTimestampOf,
  readOnly,
  readOnlyFields,
  sampleText,
  Span,
  Timestamp,
  Usd,
  usdOf,
  words,
} from '../../platform/http/schemas.ts';
import type { DecimalNumber } from '../../platform/lib/money.ts';
import { frequencies } from './slots.ts';

const frequency = words(frequencies, {
  description:
    '`weekly`: at 08:00 of the first day of the week, about the seven days before; `monthly`: at 08:00 of the 1st, ' +
    'about the month before. In the time zone of the organization, and never before the last UTC day is over',
  examples: ['weekly'],
});
const Team = nullable(
  nameOf({
    maxLength: 255,
    description: 'team whose costs the digest covers; null for all costs',
    examples: ['Platform'],
  }),
);
const NullableKind = Type.Unsafe<ActorKind | null>({
  type: ['string', 'null'],
  enum: [...actorKinds, null],
  description: 'kind of actor whose costs the digest covers; null for all. A digest cannot have a team too',
  examples: ['agent'],
});
const chat = Type.Boolean({ description: 'whether the digest goes to the channel named `default`' });
const ChannelIds = channelIds('channels that get the digest, at most 10');
const enabled = Type.Boolean({ description: 'whether it is sent' });

export const DigestSchema = Type.Object({
  id: sampleText('dig_5c1f0a9e7b3d4826f1a0'),
  frequency,
  team: Team,
  actor_kind: NullableKind,
  is_personal: Type.Boolean({ description: 'whether the digest is your own; admins manage the others' }),
  chat,
  channel_ids: ChannelIds,
  enabled,
  recipients: Type.Array(
    Type.Object({
      email: sampleText('cto@acme.example'),
      is_member: Type.Boolean({
        description:
          'whether the recipient is a member; members receive it at their current address, until they leave',
      }),
      unsubscribed_at: NullableTimestamp,
    }),
  ),
  next_at: nullableTimestampOf('null while it is off'),
  sent_until: Type.Unsafe<string | null>({
    ...nullable(CalendarDay),
    description: 'last day of the latest period that was sent; null before the first',
  }),
  warnings: Type.Array(sampleText('No email will be sent: SMTP_URL and EMAIL_FROM are not set.'), {
    description: 'reasons why recipients may get nothing',
  }),
  created_at: Timestamp,
  updated_at: Timestamp,
});

const recipients = Type.Array(Type.String({ maxLength: 254 }), {
  maxItems: 200,
  description: 'email addresses, at most 50; leave it out of a personal digest',
  examples: [['cto@acme.example']],
});
const ignored = readOnlyFields('id', 'next_at', 'sent_until', 'warnings', 'created_at', 'updated_at');
const changeable = {
  team: Type.Optional(Team),
  actor_kind: Type.Optional(NullableKind),
  recipients: Type.Optional(recipients),
  chat: Type.Optional(chat),
  channel_ids: Type.Optional(ChannelIds),
  enabled: Type.Optional(enabled),
};

export const NewDigestBody = Type.Object(
  {
    frequency,
    is_personal: Type.Optional(
      Type.Boolean({
        description:
          'true, the default, emails the digest to you; false sends it to `recipients` and channels, which needs the role `admin`',
      }),
    ),
    ...changeable,
    ...ignored,
  },
  {
    additionalProperties: false,
    examples: [{ frequency: 'weekly', is_personal: false, recipients: ['cto@acme.example'] }],
  },
);

export const DigestChangesBody = Type.Object(
  { frequency: Type.Optional(frequency), is_personal: readOnly, ...changeable, ...ignored },
  { additionalProperties: false, examples: [{ frequency: 'monthly' }] },
);

export type DigestInput = Static<typeof NewDigestBody>;
export type DigestChanges = Static<typeof DigestChangesBody>;

export const PreviewQuery = Type.Object({
  frequency: Type.Optional(words(frequencies, { description: '`weekly` if left out' })),
  team: Type.Optional(
    Type.String({ maxLength: 255, description: 'a team of the ownership rules', examples: ['Platform'] }),
  ),
  actor_kind: Type.Optional(words(actorKinds, { description: 'a kind of actor', examples: ['agent'] })),
});

const nullableUsd = (description: string) =>
  Type.Unsafe<DecimalNumber | null>({ ...Usd, type: ['number', 'null'], description });

export const PreviewSchema = Type.Object({
  frequency,
  organization: sampleText('Acme'),
  team: Team,
  actor_kind: NullableKind,
  period: Span,
  previous_period: Span,
  total: usdOf('US dollars in the period'),
  previous_total: nullableUsd('cost of the previous period; null if nothing was recorded by then'),
  daily: Type.Array(Type.Object({ date: CalendarDay, cost: Usd })),
  forecast: nullableObject(
    Type.Object({
      month: sampleText('2026-03'),
      cost: Usd,
      low: nullableUsd('of the likely range; null with too little history'),
      high: nullableUsd('of the likely range; null with too little history'),
      left_out_days: Type.Array(CalendarDay, { description: 'days marked unusual, which it leaves out' }),
    }),
    'forecast of the current month; null if no costs are expected',
  ),
  budgets: Type.Array(
    Type.Object({
      name: sampleText('CI budget'),
      scope: nullableText('team platform', 'costs that the budget watches; null for all costs'),
      period: Span,
      spent: usdOf("US dollars spent by the end of the digest's period"),
      amount: Usd,
    }),
    { description: 'budgets, fullest first; empty without the scope `alerts:read`' },
  ),
  risers: Type.Array(
    Type.Object({
      workflow: sampleText('CI'),
      repository: sampleText('acme/api'),
      cost: Usd,
      change: usdOf('US dollars more than in the previous period'),
      cause: sampleText('More jobs in job build (+$12.50).', 'empty if nothing explains it'),
    }),
    { description: 'the three workflows that rose most' },
  ),
  saving: nullableObject(
    Type.Object({
      workflow: sampleText('CI'),
      repository: sampleText('acme/api'),
      text: sampleText('Cancel runs when a newer run of the same branch starts.'),
      saving: usdOf('US dollars that it would have saved in the period, at most'),
    }),
    'the open fix that would have saved most',
  ),
  subject: sampleText('Weekly digest: Acme ($812.40, +4% vs previous week)'),
  text: sampleText('Weekly digest: Acme…', 'the email as plain text'),
  html: sampleText('<!doctype html>…', 'the email as HTML, with the chart as a data URL'),
});

export const SendBody = Type.Object(
  {
    to: Type.Optional(
      Type.String({
        maxLength: 254,
        description: 'email address of a member; you by default. Another member needs the role `admin`',
        examples: ['cto@acme.example'],
      }),
    ),
  },
  { additionalProperties: false, description: 'optional', examples: [{ to: 'cto@acme.example' }] },
);

export const SendCloseBody = Type.Object(
  {
    to: Type.Optional(
      Type.Array(Type.String({ maxLength: 254 }), {
        minItems: 1,
        maxItems: 10,
        description: 'email addresses; yours by default. Others need the role `admin`',
      }),
    ),
  },
  { additionalProperties: false, description: 'optional', examples: [{ to: ['cfo@acme.example'] }] },
);

export const SentCloseSchema = Type.Array(
  Type.Object({
    email: sampleText('cfo@acme.example'),
    delivered: Type.Boolean({ description: 'whether the mail server accepted the email' }),
    error: nullableText('cfo@acme.example has unsubscribed.', 'what went wrong'),
  }),
);

export const SentSchema = Type.Object({
  delivered: Type.Boolean({ description: 'whether the mail server accepted the email' }),
  error: nullableText('Could not send the email: mailbox full', 'what went wrong'),
});
