import { Type } from 'typebox';
import { Name, NullableTimestamp, readOnly, Timestamp, words } from '../../platform/http/schemas.ts';
import { sourceKinds } from '../providers/providers.ts';

const kinds = words(sourceKinds);

export const SourceSchema = Type.Object({
  id: Type.String(),
  kind: kinds,
  name: Type.String(),
  ingest_url: Type.String({ description: "the webhook's payload URL" }),
  created_at: Timestamp,
  last_event_at: Type.Unsafe<Date | null>({ ...NullableTimestamp, description: 'to the minute' }),
});

export const CreatedSourceSchema = Type.Object({
  ...SourceSchema.properties,
  secret: Type.String({ description: "the webhook's secret, or secret token at GitLab; shown this once" }),
});

export const NewSourceBody = Type.Object(
  {
    kind: kinds,
    name: Type.Optional(Name),
    id: readOnly,
    ingest_url: readOnly,
    created_at: readOnly,
    last_event_at: readOnly,
  },
  { additionalProperties: false },
);

export const ReceptionSchema = Type.Object({
  status: words(['recorded', 'ignored', 'pong'], { description: '`pong` answers a ping' }),
  event: Type.String(),
  reason: Type.Optional(Type.String({ description: 'why it was ignored' })),
});
