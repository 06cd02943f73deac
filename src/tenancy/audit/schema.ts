import { Type } from 'typebox';
import { Timestamp, Uuid } from '../../platform/http/schemas.ts';

export const AuditEntrySchema = Type.Object({
  id: Uuid,
  created_at: Timestamp,
  actor: Type.String({ description: '`token tok_…`, `session of …`, `cli`, or `unsubscribe link`' }),
  action: Type.String({ examples: ['member.add'] }),
  target: Type.String({ description: 'id of what was changed' }),
  details: Type.Record(Type.String(), Type.Unknown()),
});
