import { Type, type TSchema } from 'typebox';
import type { DecimalNumber } from '../lib/money.ts';
import { controlCharacter, visibleCharacter } from '../lib/text.ts';

export function defaulted<T extends string | number | boolean>(schema: TSchema, value: T) {
  return Type.Unsafe<T>(Type.Optional({ ...schema, default: value } as TSchema));
}

export function nullable<T extends TSchema & { type: string }>(schema: T) {
  return Type.Unsafe<Type.Static<T> | null>({ ...schema, type: [schema.type, 'null'] });
}

export function nullableObject<T extends TSchema>(schema: T, description: string) {
  return Type.Unsafe<Type.Static<T> | null>({ anyOf: [schema, Type.Null()], description });
}

/** A field that the service sets: ignored when a caller sends it back. */
export const readOnly = Type.Optional(Type.Unsafe<unknown>({ readOnly: true }));

export function readOnlyFields<const Names extends readonly string[]>(...names: Names) {
  const fields = Object.fromEntries(names.map((name) => [name, readOnly]));
  return fields as Record<Names[number], typeof readOnly>;
}

export function words<const T extends readonly string[]>(
  list: T,
  options: { description?: string; examples?: T[number][] } = {},
) {
  return Type.Unsafe<T[number]>({ type: 'string', enum: list, ...options });
}

export const noControls = { not: { type: 'string', pattern: controlCharacter } };

export function nameOf(options: { maxLength: number; description?: string; examples?: string[] }) {
  return Type.String({ minLength: 1, pattern: visibleCharacter, ...noControls, ...options });
}
export const Name = nameOf({ maxLength: 255 });
export const NullableName = nullable(Name);

const utc = { format: 'date-time', description: 'ISO 8601, UTC', examples: ['2026-03-17T10:00:00Z'] };
export const Timestamp = Type.Unsafe<Date>({ type: 'string', ...utc });
export const NullableTimestamp = Type.Unsafe<Date | null>({ type: ['string', 'null'], ...utc });
export function nullableTimestampOf(description: string) {
  return Type.Unsafe<Date | null>({ ...NullableTimestamp, description });
}
export const TimestampInput = Type.String({ ...utc, maxLength: 40 });
export function dayOf(example: string, description = 'YYYY-MM-DD, UTC') {
  return Type.String({ format: 'date', description, examples: [example] });
}
export const CalendarDay = dayOf('2026-03-17');
export function periodOf(start: string, end: string, days: number) {
  return Type.Object({ start: dayOf(start), end: dayOf(end), days: Type.Integer({ examples: [days] }) });
}
export const Period = periodOf('2026-03-01', '2026-03-31', 31);
export const comparedText =
  '`previous_period`: `days` with as many days right before; `from` and `to` with the same days of the last week or ' +
  'month if they begin with one, and whole months with as many months before. `previous_year`: the same dates a year before';
export const PreviousPeriod = periodOf('2026-02-01', '2026-02-28', 28);
export const Span = Type.Object({ start: Period.properties.start, end: Period.properties.end });
export const Uuid = Type.String({ format: 'uuid', examples: ['b7e9d0c2-4f1a-4c3b-8d5e-6a7f8c9d0e1f'] });
export function sampleText(example: string, description?: string) {
  return Type.String({ ...(description && { description }), examples: [example] });
}
export function nullableText(example: string, description?: string) {
  return nullable(sampleText(example, description));
}

export const Quantity = Type.Unsafe<DecimalNumber>({
  type: 'number',
  format: 'decimal',
  description: 'in the unit, exact to nine decimals',
});

export const Usd = Type.Unsafe<DecimalNumber>({
  type: 'number',
  format: 'decimal',
  description: 'US dollars, exact to nine decimals',
  examples: [12.48],
});

export function usdOf(description: string) {
  return Type.Unsafe<DecimalNumber>({ ...Usd, description });
}

export const OrgIdQuery = Type.Object({ org_id: Uuid });
export function idParams(example: string) {
  return Type.Object({ id: Type.String({ examples: [example] }) });
}

export const PageQuery = Type.Object({
  page: defaulted(Type.Integer({ minimum: 1 }), 1),
  per_page: defaulted(Type.Integer({ minimum: 1, description: 'more than 100 counts as 100' }), 50),
});

export const sampleChannelId = 'chn_5c1f0a9e7b3d4826f1a0';
export function channelIds(description: string) {
  const ids = Type.String({ maxLength: 100, examples: [sampleChannelId] });
  return Type.Array(ids, { maxItems: 50, description });
}

/** Of a message that somebody sends to see whether it arrives. */
export const TestOutcomeSchema = Type.Object({
  delivered: Type.Boolean({ description: 'whether the receiver accepted the message' }),
  status_code: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    description: 'HTTP status of the receiver; null for email or without a response',
  }),
  error: nullableText(
    'Slack answered 404: it does not take messages at this address. Create a new address there and use it.',
    'what went wrong, and how to fix it',
  ),
});

export const SortOrder = defaulted(words(['asc', 'desc']), 'desc' as const);

export const Pagination = Type.Object({
  total: Type.Integer(),
  page: Type.Integer(),
  per_page: Type.Integer(),
});

export function pageOf<T extends TSchema>(item: T) {
  return Type.Object({ data: Type.Array(item), pagination: Pagination });
}

export function dataOf<T extends TSchema>(item: T) {
  return Type.Object({ data: item });
}

export const FieldErrorSchema = Type.Object({
  path: sampleText('body.name'),
  message: sampleText('must have at most 255 characters'),
});

export const Problem = Type.Object(
  {
    type: Type.String({ examples: ['about:blank'] }),
    title: sampleText('Bad Request'),
    status: Type.Integer(),
    detail: sampleText('body.name must have at most 255 characters'),
    code: sampleText('invalid_request', 'stable, for programs'),
    errors: Type.Optional(Type.Array(FieldErrorSchema)),
    request_id: sampleText('0195a3c8-1e4a-7c2d-8b6f-3e1a5d9c7b20'),
  },
  { description: 'RFC 9457 problem details' },
);

const problemTexts = {
  400: 'The request is not valid; `errors` names the fields',
  401: 'No valid bearer token',
  403: 'Another organization, or a missing role or scope',
  404: 'The organization has nothing with that id',
  409: 'Conflicts with the current state',
  413: 'The body is too large',
  415: 'The content type is not supported',
  429: 'Too many requests; see `Retry-After`',
  500: 'An error in the service',
  503: 'The database is unavailable; try again',
};

export type ProblemStatus = keyof typeof problemTexts;

export function responses<S extends number, T extends TSchema>(
  status: S,
  schema: T,
  further: readonly ProblemStatus[] = [],
): Record<S, T> {
  const problems = Object.fromEntries(
    ([400, 401, 403, 429, 500, 503, ...further] as const).map((code) => [
      code,
      { description: problemTexts[code], content: { 'application/problem+json': { schema: Problem } } },
    ]),
  );
  return { ...problems, [status]: schema } as Record<S, T>;
}

export function deletedOf(example: string) {
  return Type.Object({ id: sampleText(example), deleted: Type.Literal(true) });
}

const taskStatuses = ['queued', 'running', 'done', 'failed', 'cancelled'] as const;

export const taskFields = {
  status: words(taskStatuses),
  progress: Type.Object({
    done: Type.Integer(),
    total: nullable(Type.Integer({ description: 'null until known' })),
  }),
  error: nullableText('GitHub rejects the credentials.'),
  created_at: Timestamp,
  started_at: NullableTimestamp,
  ended_at: NullableTimestamp,
};

export const sampleInvitation =
  'runcost_invitation_b7e9d0c24f1a4c3b8d5e6a7f8c9d0e1f_2b9d4e7f1c6a8053e4d2_mW4xK8nB2vQ6tY0rE5uI9oP3aS7dF1gHjLzXcCvVbNq';
/** Accepted by anyone with the link, or by a person who proves the address at an identity provider. */
export const InvitationSecret = Type.String({
  minLength: 1,
  maxLength: 512,
  description: 'the part of the link after the #',
  examples: [sampleInvitation],
});

export const RunNumber = nullable(
  Type.Integer({ description: "what the provider's pages call it; null if unknown", examples: [1204] }),
);
