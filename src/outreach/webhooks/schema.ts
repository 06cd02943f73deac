import { Type, type TSchema } from 'typebox';
import { eventKinds, pingKind } from '../../events/eventKinds.ts';
import {
  nullable,
  NullableString,
  NullableTimestamp,
  pageOf,
  PageQuery,
  Pagination,
  readOnly,
  Timestamp,
  TimestampInput,
  words,
} from '../../platform/http/schemas.ts';

/** The schema with a description. */
const about = <T extends TSchema>(schema: T, description: string) =>
  Type.Unsafe<Type.Static<T>>({ ...schema, description });

const statuses = ['active', 'paused', 'failing'] as const;
const deliveryStates = ['pending', 'success', 'failed', 'held'] as const;
const deliveryStatuses = words(deliveryStates, {
  description: '`pending`: attempts are to come; `held`: kept until the webhook is active again',
});
const Count = Type.Integer();
const NullableInteger = nullable(Count);
const Events = Type.Array(words(eventKinds), {
  minItems: 1,
  uniqueItems: true,
  description: 'the kinds of events that it wants; see `GET /api/v1/event-types`',
});
const Url = Type.String({ minLength: 1, maxLength: 2048, description: 'https URL that deliveries go to' });
const SecretInput = Type.String({
  minLength: 1,
  maxLength: 256,
  description: 'signs as it is given, and should have 16 characters or more; without one, one is made',
});
const Secret = Type.String({ description: 'shown this once' });
const Warnings = Type.Array(Type.String());

const identity = { id: Type.String(), url: Type.String(), events: Type.Array(Type.String()) };
const listed = {
  ...identity,
  status: words(statuses, { description: '`failing`: a delivery has failed all its attempts' }),
  secret_prefix: Type.String(),
  last_delivery_at: NullableTimestamp,
  last_delivery_status: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    enum: [...deliveryStates, null],
    description: 'how the latest attempt went: `success` or `failed`, also while retries are to come',
  }),
  last_response_code: about(
    NullableInteger,
    'what the latest attempt was answered; null where there was no answer',
  ),
  next_attempt_at: about(
    NullableTimestamp,
    'when its next attempt or retry is due; null when none is to come',
  ),
  failing_since: NullableTimestamp,
  created_at: Timestamp,
  updated_at: Timestamp,
};

export const WebhookSchema = Type.Object(listed);
export const WebhooksSchema = Type.Object({ webhooks: Type.Array(WebhookSchema) });

export const CreatedWebhookSchema = Type.Object({
  ...identity,
  status: listed.status,
  secret: Secret,
  secret_prefix: Type.String(),
  created_at: Timestamp,
  warnings: Warnings,
});

export const RotatedWebhookSchema = Type.Object({
  ...listed,
  secret: Secret,
  promote_at: about(Timestamp, 'when the new secret becomes the only one'),
  warnings: Warnings,
});

export const DetailedWebhookSchema = Type.Object({
  ...listed,
  rotation: Type.Unsafe<{ promote_at: Date; next_secret_prefix: string } | null>({
    ...Type.Object({ promote_at: Timestamp, next_secret_prefix: Type.String() }),
    type: ['object', 'null'],
    description: 'the secret that signs beside the present one, and when it takes its place',
  }),
  health: Type.Object({
    status_reason: Type.String({ description: 'why it has its status, or that all is well' }),
    failing_since: NullableTimestamp,
    last_error: Type.Unsafe<object | null>({
      ...Type.Object({
        error_class: NullableString,
        message: NullableString,
        response_code: NullableInteger,
        at: Timestamp,
      }),
      type: ['object', 'null'],
    }),
    success_rate: Type.Unsafe<number | null>({
      type: ['number', 'null'],
      description: 'of the last 1,000 deliveries that ended, from 0 to 1',
    }),
    deliveries: Type.Object(
      { pending: Count, held: Count, failed: Count, success: Count },
      { description: 'all that are pending or held; failed and success of the last 1,000 that ended' },
    ),
    oldest_undelivered_at: NullableTimestamp,
    next_attempt_at: NullableTimestamp,
  }),
});

const ignored = {
  id: readOnly,
  org_id: readOnly,
  secret_prefix: readOnly,
  last_delivery_at: readOnly,
  last_delivery_status: readOnly,
  last_response_code: readOnly,
  next_attempt_at: readOnly,
  failing_since: readOnly,
  rotation: readOnly,
  health: readOnly,
  promote_at: readOnly,
  warnings: readOnly,
  created_at: readOnly,
  updated_at: readOnly,
};

export const NewWebhookBody = Type.Object(
  {
    url: Url,
    events: Events,
    secret: Type.Optional(SecretInput),
    status: Type.Optional(words(['active', 'paused'])),
    ...ignored,
  },
  { additionalProperties: false },
);

export const WebhookChangesBody = Type.Object(
  {
    url: Type.Optional(Url),
    events: Type.Optional(Events),
    status: Type.Optional(
      words(statuses, { description: '`active` or `paused`; `failing` only where that is what it is' }),
    ),
    secret: Type.Optional(
      Type.Unsafe<unknown>({
        description: 'refused: `POST /api/v1/webhooks/{id}/rotate-secret` changes it',
      }),
    ),
    ...ignored,
  },
  { additionalProperties: false },
);

export const RotateBody = Type.Object(
  { secret: Type.Optional(SecretInput) },
  { additionalProperties: false, description: 'may be left out' },
);

const delivery = {
  id: Type.String(),
  event: Type.String(),
  status: deliveryStatuses,
  response_code: NullableInteger,
  response_time_ms: NullableInteger,
  delivered_at: NullableTimestamp,
  event_id: Type.String(),
  attempts: Type.Integer({ description: 'all that were made, also those asked for by hand' }),
  next_attempt_at: NullableTimestamp,
  error_class: NullableString,
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
});

export const DetailedDeliverySchema = Type.Object({
  ...delivery,
  body: about(NullableString, 'the exact text that is sent; null when it is no longer kept'),
  attempts_log: Type.Array(
    Type.Object({
      number: Type.Integer(),
      reason: words(['schedule', 'resend']),
      outcome: words(['in_flight', 'success', 'failure', 'unknown']),
      started_at: Timestamp,
      ended_at: NullableTimestamp,
      url: Type.String(),
      response_code: NullableInteger,
      error_class: NullableString,
      message: NullableString,
      dns_ms: NullableInteger,
      connect_ms: NullableInteger,
      tls_ms: NullableInteger,
      first_byte_ms: NullableInteger,
      total_ms: NullableInteger,
      response_body: about(NullableString, 'the beginning of the answer as UTF-8; what is none is replaced'),
      response_truncated: nullable(Type.Boolean()),
    }),
    { description: 'the latest 100, first to last' },
  ),
});

export const ResendBody = Type.Object(
  {
    status: Type.Optional(
      words(['failed', 'success', 'held', 'pending'], { description: 'failed by default' }),
    ),
    event: Type.Optional(deliveredEvents),
    since: about(TimestampInput, 'those created then or later'),
    until: Type.Optional(about(TimestampInput, 'those created before; now by default')),
    dry_run: Type.Optional(Type.Boolean({ description: 'only counts them' })),
  },
  { additionalProperties: false },
);

export const ResendCount = Type.Object({ total: Type.Integer() });

export const ResendSchema = Type.Object({
  id: Type.String(),
  status: words(['running', 'done', 'cancelled']),
  total: Type.Integer({ description: 'how many matched when it began' }),
  resent: Type.Integer({ description: 'how many have been asked for so far' }),
  filter: Type.Object({
    status: deliveryStatuses,
    event: NullableString,
    since: Timestamp,
    until: Timestamp,
  }),
  created_at: Timestamp,
  ended_at: NullableTimestamp,
});
export const ResendsSchema = pageOf(ResendSchema);
