import { Type } from 'typebox';
import { sentenceOfEvent } from '../../ledger/costs/whatChanged/schema.ts';
import {
  CalendarDay,
  channelIds,
  Name,
  nameOf,
  nullable,
  nullableText,
  NullableTimestamp,
  nullableTimestampOf,
  Pagination,
  readOnly,
  sampleChannelId,
  sampleText,
  Span,
  TestOutcomeSchema,
  Timestamp,
  TimestampInput,
  Usd,
  usdOf,
  Uuid,
  words,
} from '../../platform/http/schemas.ts';
import type { DecimalNumber } from '../../platform/lib/money.ts';
import { alertTypeNames } from './alertTypes.ts';
import { Unit } from './rules/described.schema.ts';
import { scopeTypes } from './scope.ts';
import {
  AlertTypeWord,
  frequencies,
  MeasureWord,
  Observed,
  periods,
  Threshold,
  Value,
} from './types.schema.ts';

const scopeValue = nameOf({
  maxLength: 255,
  description:
    'missing for `organization`; the name of a repository or branch, or a pattern of them with `*`; the id of a workflow; a team or cost center of the ownership rules; `person`, `bot` or `agent`',
  examples: ['acme/api'],
});
const scope = {
  type: words(scopeTypes, { description: 'the costs that the alert watches' }),
  value: Type.Optional(scopeValue),
  repository: Type.Optional(
    nameOf({
      maxLength: 255,
      description: 'repository of a branch, or a pattern; by default all repositories. Only for branches',
      examples: ['acme/api'],
    }),
  ),
};
const Scope = Type.Object({
  ...scope,
  name: Type.Optional(sampleText('Build (acme/api)', "a workflow's name when the scope was set")),
});
const ScopeInput = Type.Object({ ...scope, name: readOnly }, { additionalProperties: false });

const Recipients = Type.Array(Type.String({ maxLength: 255, examples: ['platform@acme.example'] }), {
  description: 'email addresses; if empty, owners and admins with alert emails on are notified',
});

const reached = {
  kind: sampleText('slack', '`email` for a person, or the kind of the channel'),
  to: sampleText('platform', 'an email address, or the name of the channel'),
  channel_id: nullableText(sampleChannelId),
};
const Reaches = Type.Array(Type.Object(reached), {
  description: 'whom its messages reach now; empty if nobody is notified',
});

const NotifyEmail = Type.Boolean({ description: 'whether owners and admins who want it get an email' });
const Enabled = Type.Boolean({ description: 'whether the alert is checked' });
const ChannelIds = channelIds('channels that are notified, at most 10');
const notifyChatText =
  'while `channel_ids` is empty: whether the channels of its team are notified, or else the channel named `default`';

const ReachedThreshold = Type.Object({
  percentage: Type.Integer({ examples: [75] }),
  reached_before: Type.Boolean({ description: 'when the budget was created, changed or turned on' }),
});

export const exampleAlertId = '3f2c8a5e-6c1d-4b7e-9a40-d5e8f1b2c3a4';
const exampleAlert = {
  name: 'CI budget',
  alert_type: 'budget',
  threshold_amount: 5_000,
  check_frequency: 'daily',
  period: 'month',
  notify_email: true,
  enabled: true,
  scope: { type: 'repository', value: 'acme/api' },
  recipients: ['platform@acme.example'],
};

const listed = {
  id: Type.String({ format: 'uuid', examples: [exampleAlertId] }),
  name: Type.String({ examples: ['CI budget'] }),
  alert_type: AlertTypeWord,
  measure: MeasureWord,
  scope: Scope,
  threshold_amount: Value,
  check_frequency: frequencies,
  period: periods,
  notify_email: NotifyEmail,
  notify_chat: Type.Boolean({ description: notifyChatText }),
  channel_ids: ChannelIds,
  recipients: Recipients,
  reaches: Reaches,
  snoozed_until: nullableTimestampOf('nobody is notified until then; null if it is not snoozed'),
  enabled: Enabled,
  state: words(['ok', 'triggered', 'insufficient_data'], { description: 'as of the last check' }),
  reached_shares: Type.Array(ReachedThreshold, { description: 'of a budget, in its current period' }),
  last_triggered_at: NullableTimestamp,
  created_at: Timestamp,
  updated_at: Timestamp,
};

export const AlertsSchema = Type.Object({ alerts: Type.Array(Type.Object(listed)) });

export const AlertSchema = Type.Object({
  ...listed,
  org_id: Uuid,
  warnings: Type.Array(sampleText('No email will be sent: no owner or admin has alert emails on.'), {
    description:
      'reasons why its emails cannot arrive; if only the type has changed, the new unit of its threshold',
  }),
});

const settings = {
  name: Name,
  alert_type: AlertTypeWord,
  threshold_amount: Threshold,
};
const options = Type.Partial(
  Type.Object({
    measure: MeasureWord,
    check_frequency: frequencies,
    period: periods,
    notify_email: NotifyEmail,
    enabled: Enabled,
    scope: ScopeInput,
    notify_chat: Type.Boolean({ description: notifyChatText }),
    channel_ids: ChannelIds,
    recipients: Recipients,
    snoozed_until: Type.Unsafe<string | null>({
      ...TimestampInput,
      type: ['string', 'null'],
      description: 'nobody is notified until then, at most a year ahead; null or a past time ends the snooze',
    }),
  }),
).properties;
const { scope: scopeOption, notify_email, notify_chat, channel_ids, recipients } = options;

/** The part of an alert that says whom it notifies. */
export const ReachBody = Type.Object(
  { scope: scopeOption, notify_email, notify_chat, channel_ids, recipients },
  { additionalProperties: false, examples: [{ notify_email: true, recipients: ['platform@acme.example'] }] },
);

export const ReachSchema = Type.Object({ reaches: Reaches, warnings: AlertSchema.properties.warnings });

export const TestedReach = Type.Object({
  receivers: Type.Array(Type.Object({ ...reached, ...TestOutcomeSchema.properties })),
});

const ignored = {
  id: readOnly,
  org_id: readOnly,
  state: readOnly,
  reaches: readOnly,
  reached_shares: readOnly,
  last_triggered_at: readOnly,
  warnings: readOnly,
  created_at: readOnly,
  updated_at: readOnly,
};

export const NewAlertBody = Type.Object(
  { ...settings, ...options, ...ignored },
  { additionalProperties: false, examples: [exampleAlert] },
);

export const AlertChangesBody = Type.Object(
  { ...Type.Partial(Type.Object(settings)).properties, ...options, ...ignored },
  { additionalProperties: false, examples: [{ threshold_amount: 6_000, enabled: true }] },
);

export const DeletedAlert = Type.Object({ message: sampleText('The alert was deleted.') });

export const CheckSchema = Type.Object({
  checked: Type.Boolean(),
  triggered: Type.Boolean({ description: 'whether the condition holds now' }),
  unit: Unit,
  measure: MeasureWord,
  current_value: Value,
  threshold_value: Value,
  notification_sent: Type.Optional(
    Type.Boolean({ description: 'whether a message was delivered; present if `triggered`' }),
  ),
  state: listed.state,
  observed: Observed,
  baseline: Type.Unsafe<DecimalNumber | null>({
    type: ['number', 'null'],
    format: 'decimal',
    description:
      'what `observed` is compared with, in the same unit. If today so far is included, the last day of each earlier ' +
      'window counts until the same time of day. Null for budgets and without enough history',
  }),
  recurs: nullableText(
    'month_end',
    '`month_end` or `day_of_month`: where a rise comes back, so it is normal',
  ),
  period: Span,
  as_of: Type.Unsafe<Date>({ ...Timestamp, description: 'the check covers costs until this time' }),
  warnings: AlertSchema.properties.warnings,
});

export const trigger = {
  id: sampleText('trg_0195a3c81c7e7b3d9f2a4c6e8b0d1f35'),
  alert_id: Uuid,
  alert_type: words(alertTypeNames, { description: "the alert's type when it triggered" }),
  measure: Type.Unsafe<Type.Static<typeof MeasureWord>>({
    ...MeasureWord,
    description: "the alert's measure when it triggered",
  }),
  scope: Type.Unsafe<Type.Static<typeof Scope>>({
    ...Scope,
    description: "the alert's scope when it triggered",
  }),
  triggered_at: Timestamp,
  current_value: Value,
  threshold_value: Value,
  notified: Type.Boolean({ description: 'whether a message reached anybody' }),
  resolved_at: NullableTimestamp,
  resolution: nullableText('period_ended'),
  acknowledgement: nullable(
    Type.Object(
      {
        at: Timestamp,
        by: sampleText('mona@acme.example'),
        note: nullableText('Looking into the new matrix.'),
      },
      { description: 'who looks after it' },
    ),
  ),
};

export const TriggerSchema = Type.Object(trigger);

export const AcknowledgeBody = Type.Object(
  {
    note: Type.Optional(nullable(nameOf({ maxLength: 1_000, examples: ['Looking into the new matrix.'] }))),
  },
  { additionalProperties: false, examples: [{ note: 'Looking into the new matrix.' }] },
);

export const TriggersSchema = Type.Object({
  triggers: Type.Array(TriggerSchema),
  pagination: Pagination,
});

export const TriggerParams = Type.Object({
  id: Type.String({ examples: [exampleAlertId] }),
  trigger_id: Type.String({ examples: ['trg_6e2a8c4f0d1b9735e6a8'] }),
});

const change = {
  observed: Observed,
  baseline: Observed,
  change: Usd,
  volume: usdOf('from more or fewer jobs'),
  duration: usdOf('from longer or shorter jobs'),
  price: usdOf('from changed prices of the same runners'),
  mix: usdOf('from other runners'),
};

const UsedPercent = Type.Unsafe<DecimalNumber>({
  type: 'number',
  format: 'decimal',
  description: 'percentage of the included minutes of the month',
});

export const ExplainedTriggerSchema = Type.Object({
  ...trigger,
  observed: Observed,
  baseline: CheckSchema.properties.baseline,
  period: CheckSchema.properties.period,
  counted_until: nullable(
    Type.String({
      ...CalendarDay,
      description:
        'last day of `period` that `observed` counts; null if the trigger is older than this field',
    }),
  ),
  over_time_limit: nullable(
    Type.Object(
      { jobs: Type.Integer(), cost: Usd },
      {
        description: 'jobs in `observed` that are longer than their provider allows; null in older triggers',
      },
    ),
  ),
  explanation: Type.Object(
    {
      happened: nullable(
        Type.Object(
          {
            ...sentenceOfEvent,
            workflow_id: nullableText('wf_e18db5f418965475a75a'),
            run_id: nullableText('run_gh_123', 'the run of the pull request or commit that it names'),
          },
          {
            description:
              'what happened on which days, against the four weeks before, as known at that time; null if no days stand ' +
              'out, for other measures than list cost, in older triggers, and if too many jobs had to be read',
          },
        ),
      ),
      observed: Observed,
      baseline: Observed,
      change: Usd,
      workflows: Type.Array(
        Type.Object({
          workflow_id: Type.String({ examples: ['wf_e18db5f418965475a75a'] }),
          workflow_name: Type.String({ examples: ['Build'] }),
          repo_name: Type.String({ examples: ['acme/api'] }),
          ...change,
        }),
        { description: 'the 50 workflows that changed most' },
      ),
      others: Type.Object({ workflows: Type.Integer(), ...change }, { description: 'the sum of all others' }),
    },
    { description: 'the causes of the change; volume, duration, price and mix add up to it exactly' },
  ),
  included_usage: nullable(
    Type.Object(
      {
        used_up_on: nullable(
          Type.String({
            ...CalendarDay,
            description:
              'day on which the included minutes of the organization are used up, or would be at the pace of that ' +
              'time; null if they last to the end of the month',
          }),
        ),
        repositories: Type.Array(Type.Object({ repo_name: sampleText('acme/api'), percent: UsedPercent })),
        workflows: Type.Array(
          Type.Object({
            workflow_id: Type.String({ examples: ['wf_e18db5f418965475a75a'] }),
            workflow_name: Type.String({ examples: ['Build'] }),
            repo_name: Type.String({ examples: ['acme/api'] }),
            percent: UsedPercent,
          }),
        ),
      },
      {
        description:
          'of measures of included usage, otherwise null: when it is used up, and the repositories and workflows that ' +
          'used most; the bill has no workflows',
      },
    ),
  ),
  notifications: Type.Array(
    Type.Object({
      channel: words(['email', 'chat']),
      channel_id: nullableText(sampleChannelId, 'null for emails to members and recipients'),
      recipient: nullableText('mona@acme.example'),
      is_resolution: Type.Boolean({ description: 'whether it says that the alert is resolved' }),
      status: words(['pending', 'sent', 'failed']),
      attempts: Type.Integer(),
      last_error: nullableText('The mail server did not answer within a minute.'),
      sent_at: NullableTimestamp,
      next_attempt_at: NullableTimestamp,
    }),
    { description: 'its notifications, kept for 30 days; those of channels for 60, and while it is open' },
  ),
});
