import { Type, type TSchema } from 'typebox';
import { eventKinds, pingKind } from '../../events/eventKinds.ts';
import {
  defaulted,
  nullable,
  NullableName,
  nullableText,
  NullableTimestamp,
  pageOf,
  PageQuery,
  Pagination,
  readOnlyFields,
  sampleText,
  SortOrder,
  Timestamp,
  TimestampInput,
  words,
} from '../../platform/http/schemas.ts';

const about = <T extends TSchema>(schema: T, description: string) =>
  Type.Unsafe<Type.Static<T>>({ ...schema, description });

const statuses = ['active', 'paused', 'failing'] as const;
const deliveryStates = ['pending', 'success', 'failed', 'held'] as const;
const deliveryStatuses = words(deliveryStates, {
  description: '`pending`: more attempts follow; `held`: waits until the webhook is active',
});
const Count = Type.Integer();
const NullableInteger = nullable(Count);
const Events = Type.Array(words(eventKinds), {
  minItems: 1,
  uniqueItems: true,
  description: 'event types that it subscribes to; see `GET /api/v1/event-types`',
});
const Url = Type.String({ minLength: 1, maxLength: 2048, description: 'https URL that receives deliveries' });
const SecretInput = Type.String({
  minLength: 1,
  maxLength: 256,
  description:
    'signing secret, used exactly as you send it; at least 16 characters are safer. Leave it out to generate one',
});
const Secret = sampleText('whsec_4Jm8dQ2vXc7pRt1yKz5nWb9sHf3aLg6e', 'shown only once');
const Warnings = Type.Array(sampleText('The secret is shorter than 16 characters and could be guessed.'));

const identity = {
  id: Type.String({ examples: ['wh_9d3e7c1a5b8f2046e9d7'] }),
  name: nullableText('Cost reports'),
  url: Type.String({ examples: ['https://hooks.acme.example/runcost'] }),
  events: Type.Array(sampleText('workflow.completed')),
};
const listed = {
  ...identity,
  status: words(statuses, { description: '`failing`: a delivery failed all its attempts' }),
  secret_prefix: Type.String({ examples: ['whsec_4Jm8…'] }),
  last_delivery_at: NullableTimestamp,
  last_delivery_status: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    enum: [...deliveryStates, null],
    description: 'result of the latest attempt: `success` or `failed`, even if retries follow',
  }),
  last_response_code: about(NullableInteger, 'HTTP status of the latest attempt; null without a response'),
  next_attempt_at: about(NullableTimestamp, 'when its next attempt is due; null if none is planned'),
  failing_since: NullableTimestamp,
  created_at: Timestamp,
  updated_at: Timestamp,
};

export const WebhookSchema = Type.Object(listed);
export const WebhooksSchema = Type.Object({
  webhooks: Type.Array(
    Type.Object({
      ...listed,
      latest_deliveries: Type.Array(words(deliveryStates), {
        description: 'statuses of its latest 20 deliveries, oldest first',
      }),
    }),
  ),
});

export const CreatedWebhookSchema = Type.Object({
  ...identity,
  status: listed.status,
  secret: Secret,
  secret_prefix: Type.String({ examples: ['whsec_4Jm8…'] }),
  created_at: Timestamp,
  warnings: Warnings,
});

export const RotatedWebhookSchema = Type.Object({
  ...listed,
  secret: Secret,
  promote_at: about(Timestamp, 'when the new secret replaces the old one'),
  warnings: Warnings,
});

export const DetailedWebhookSchema = Type.Object({
  ...listed,
  rotation: Type.Unsafe<{ promote_at: Date; next_secret_prefix: string } | null>({
    ...Type.Object({ promote_at: Timestamp, next_secret_prefix: sampleText('whsec_9Kd2…') }),
    type: ['object', 'null'],
    description: 'the new secret, which already signs too, and when it replaces the current one',
  }),
  health: Type.Object({
    status_reason: sampleText('Active.', 'why the webhook has its status'),
    failing_since: NullableTimestamp,
    last_error: Type.Unsafe<object | null>({
      ...Type.Object({
        error_class: nullableText('status'),
        message: nullableText('answered 503'),
        response_code: NullableInteger,
        at: Timestamp,
      }),
      type: ['object', 'null'],
    }),
    success_rate: Type.Unsafe<number | null>({
      type: ['number', 'null'],
      description: 'success rate of the last 1,000 deliveries that ended, from 0 to 1',
    }),
    deliveries: Type.Object(
      { pending: Count, held: Count, failed: Count, success: Count },
      { description: 'all pending and held deliveries; failed and success of the last 1,000 that ended' },
    ),
    oldest_undelivered_at: NullableTimestamp,
    next_attempt_at: NullableTimestamp,
  }),
});

const ignored = readOnlyFields(
  'id',
  'org_id',
  'secret_prefix',
  'last_delivery_at',
  'last_delivery_status',
  'last_response_code',
  'latest_deliveries',
  'next_attempt_at',
  'failing_since',
  'rotation',
  'health',
  'promote_at',
  'warnings',
  'created_at',
  'updated_at',
);

const Name = Type.Optional(about(NullableName, 'what you call it; spaces around it are left out'));

export const NewWebhookBody = Type.Object(
  {
    name: Name,
    url: Url,
    events: Events,
    secret: Type.Optional(SecretInput),
    status: Type.Optional(words(['active', 'paused'])),
    ...ignored,
  },
  {
    additionalProperties: false,
    examples: [
      {
        name: 'Cost reports',
        url: 'https://hooks.acme.example/runcost',
        events: ['workflow.completed', 'alert.triggered'],
      },
    ],
  },
);

export const WebhookChangesBody = Type.Object(
  {
    name: Name,
    url: Type.Optional(Url),
    events: Type.Optional(Events),
    status: Type.Optional(
      words(statuses, { description: '`active` or `paused`; you can send `failing` only if it already is' }),
    ),
    secret: Type.Optional(
      Type.Unsafe<unknown>({
        description: 'refused: use `POST /api/v1/webhooks/{id}/rotate-secret`',
      }),
    ),
    ...ignored,
  },
  { additionalProperties: false, examples: [{ events: ['alert.triggered'], status: 'paused' }] },
);

export const RotateBody = Type.Object(
  { secret: Type.Optional(SecretInput) },
  {
    additionalProperties: false,
    description: 'optional',
    examples: [{ secret: 'whsec_4Jm8Qx2Vt6Zr0Ny5Bw9C' }],
  },
);

const delivery = {
  id: Type.String({ examples: ['del_0195a3c81e4a7c2d8b6f3e1a5d9c7b20'] }),
  event: sampleText('workflow.completed'),
  status: deliveryStatuses,
  response_code: NullableInteger,
  response_time_ms: NullableInteger,
  delivered_at: NullableTimestamp,
  event_id: Type.String({ examples: ['evt_0195a3c81c7e7b3d9f2a4c6e8b0d1f35'] }),
  attempts: Type.Integer({ description: 'all attempts, including resends' }),
  next_attempt_at: NullableTimestamp,
  error_class: nullableText('status'),
  created_at: Timestamp,
};

const deliveredEvents = words([...eventKinds, pingKind]);

export const DeliverySchema = Type.Object(delivery);
export const DeliveriesSchema = Type.Object({
  deliveries: Type.Array(DeliverySchema),
  pagination: Pagination,
});

export const DeliveriesQuery = Type.Object({
  ...PageQuery.properties,
  event: Type.Optional(deliveredEvents),
  status: Type.Optional(deliveryStatuses),
  sort_by: defaulted(
    words(['created_at', 'event', 'status', 'attempts', 'response_time', 'next_attempt']),
    'created_at' as const,
  ),
  sort_order: SortOrder,
});

export const DetailedDeliverySchema = Type.Object({
  ...delivery,
  body: nullableText(
    '{"type":"workflow.completed","id":"evt_0195a3c81c7e7b3d9f2a4c6e8b0d1f35"}',
    'the exact body that is sent; null if it is no longer stored',
  ),
  attempts_log: Type.Array(
    Type.Object({
      number: Type.Integer(),
      reason: words(['schedule', 'resend']),
      outcome: words(['in_flight', 'success', 'failure', 'unknown']),
      started_at: Timestamp,
      ended_at: NullableTimestamp,
      url: Type.String({ examples: ['https://hooks.acme.example/runcost'] }),
      response_code: NullableInteger,
      error_class: nullableText('status'),
      message: nullableText('answered 503'),
      dns_ms: NullableInteger,
      connect_ms: NullableInteger,
      tls_ms: NullableInteger,
      first_byte_ms: NullableInteger,
      total_ms: NullableInteger,
      response_body: nullableText(
        'Internal Server Error',
        'start of the response as UTF-8; other bytes are replaced',
      ),
      response_truncated: nullable(Type.Boolean()),
    }),
    { description: 'the latest 100 attempts, first to last' },
  ),
});

export const ResendBody = Type.Object(
  {
    status: Type.Optional(
      words(['failed', 'success', 'held', 'pending'], { description: '`failed` by default' }),
    ),
    event: Type.Optional(deliveredEvents),
    since: about(TimestampInput, 'created at this time or later'),
    until: Type.Optional(about(TimestampInput, 'created before this time; now by default')),
    dry_run: Type.Optional(Type.Boolean({ description: 'only count them' })),
  },
  {
    additionalProperties: false,
    examples: [{ status: 'failed', since: '2026-03-16T00:00:00Z', until: '2026-03-17T00:00:00Z' }],
  },
);

export const SignBody = Type.Object(
  {
    from: about(TimestampInput, 'created at this time or later'),
    event: Type.Optional(deliveredEvents),
    without: Type.Optional(
      Type.Array(Type.String({ maxLength: 100 }), {
        maxItems: 5_000,
        description: 'ids of deliveries to leave out, because you have them',
      }),
    ),
  },
  { additionalProperties: false, examples: [{ from: '2026-03-17T09:00:00Z' }] },
);

export const SignedDeliveriesSchema = Type.Object({
  deliveries: Type.Array(
    Type.Object({
      id: delivery.id,
      event: delivery.event,
      created_at: Timestamp,
      headers: Type.Record(Type.String(), Type.String(), {
        description: 'of a request with this body, as the webhook gets them',
        examples: [{ 'webhook-id': 'evt_0195a3c81c7e7b3d9f2a4c6e8b0d1f35' }],
      }),
      body: sampleText(
        '{"type":"workflow.completed","id":"evt_0195a3c81e4a7c2d8b6f3e1a5d9c7b20"}',
        'exactly as signed',
      ),
    }),
  ),
});

export const ResendCount = Type.Object({ total: Type.Integer() });

export const ResendSchema = Type.Object({
  id: Type.String({ examples: ['rsd_7d1b5f9a3c8e2460d7b1'] }),
  status: words(['running', 'done', 'cancelled']),
  total: Type.Integer({ description: 'matching deliveries when it started' }),
  resent: Type.Integer({ description: 'deliveries requested so far' }),
  filter: Type.Object({
    status: deliveryStatuses,
    event: nullableText('workflow.completed'),
    since: Timestamp,
    until: Timestamp,
  }),
  created_at: Timestamp,
  ended_at: NullableTimestamp,
});
export const ResendsSchema = pageOf(ResendSchema);
