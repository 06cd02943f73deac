import { Type } from 'typebox';
import {
  dayOf,
  nameOf,
  nullable,
  nullableText,
  NullableTimestamp,
  readOnlyFields,
  sampleText,
  words,
} from '../../platform/http/schemas.ts';
import { actorKinds } from './actorPattern.ts';

export const sampleId = 'act_5c1f0a9e7b3d4826f1a0';

const kind = words(actorKinds, { description: '`bot`: a program that is no agent, such as Dependabot' });
const pattern = nameOf({
  maxLength: 255,
  description: 'the name of an actor, in any case; `*` is any characters',
  examples: ['acme-agent-*'],
});

export const PatternSchema = Type.Object({
  id: nullableText(sampleId, 'null: Runcost ships it, and it cannot be changed'),
  pattern: sampleText('acme-agent-*', 'in any case; `*` is any characters'),
  kind,
  checked_on: nullable(dayOf('2026-11-29', 'when the shipped list was last compared with its sources')),
  updated_at: NullableTimestamp,
});

const readOnly = readOnlyFields('id', 'checked_on', 'updated_at');
const example = { pattern: 'acme-agent-*', kind: 'agent' as const };

export const NewPatternBody = Type.Object(
  { pattern, kind, ...readOnly },
  { additionalProperties: false, examples: [example] },
);

export const PatternChangesBody = Type.Object(
  { pattern: Type.Optional(pattern), kind: Type.Optional(kind), ...readOnly },
  { additionalProperties: false, examples: [{ kind: example.kind }] },
);
