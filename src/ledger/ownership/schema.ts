import { Type } from 'typebox';
import {
  CalendarDay,
  defaulted,
  nameOf,
  noControls,
  nullable,
  nullableText,
  pageOf,
  readOnlyFields,
  sampleText,
  Timestamp,
  words,
} from '../../platform/http/schemas.ts';
import { ownerKinds, ruleSources } from './owners.ts';
import type { RuleInput } from './rules.ts';

const kind = words(ownerKinds);
const nullableDay = (description: string) => nullable(Type.String({ ...CalendarDay, description }));

const fields = {
  kind,
  owner: sampleText('Platform', 'the team or the cost center'),
  repository: nullableText('acme/api-*', '`owner/name`, in any case; `*` is any characters'),
  workflow: nullableText('Deploy', 'id or name; `*` is any characters'),
  label: nullableText('gpu-*', 'any one label of the job, in any case; `*` is any characters'),
  valid_from: nullableDay('first day, UTC; null: from the beginning'),
  valid_until: nullableDay('last day, UTC; null: until further notice'),
};

export const RuleSchema = Type.Object({
  id: sampleText('own_5d1f7a3c9e2b8046a1c8'),
  position: Type.Integer({ description: 'from 1; the first match of a kind decides' }),
  ...fields,
  source: words(ruleSources, {
    description: '`manual`: people wrote it; otherwise the import that created it',
  }),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export const RulesSchema = pageOf(RuleSchema);

const pattern = (description: string) =>
  Type.Optional(nullable(Type.String({ minLength: 1, maxLength: 255, ...noControls, description })));
const day = (description: string) => Type.Optional(nullable(Type.String({ format: 'date', description })));

const ruleBody = (example: RuleInput) =>
  Type.Unsafe<RuleInput>(
    Type.Object(
      {
        kind: Type.Optional(kind),
        owner: Type.Optional(nameOf({ maxLength: 100, description: 'the team or the cost center' })),
        repository: pattern('`owner/name`, in any case'),
        workflow: pattern('id or name'),
        label: pattern('any one label of the job, in any case'),
        valid_from: day('first day, UTC'),
        valid_until: day('last day, UTC'),
        position: Type.Optional(
          Type.Integer({
            minimum: 1,
            description:
              'from 1 to one more than there are other rules of people; by default a new rule is their last',
          }),
        ),
        ...readOnlyFields('id', 'source', 'created_at', 'updated_at'),
      },
      {
        additionalProperties: false,
        examples: [example],
      },
    ),
  );

export const NewRuleBody = ruleBody({
  kind: 'team',
  owner: 'Platform',
  repository: 'acme/api-*',
  valid_from: '2026-01-01',
});
export const RuleChangesBody = ruleBody({ valid_until: '2026-03-31' });

const example = [
  'kind,owner,repository,workflow,label,valid_from,valid_until',
  'team,Platform,acme/api-*,,,2026-01-01,',
  'cost_center,CC-1042,acme/*,,,,',
  '',
].join('\n');

const csv = { type: 'string', format: 'binary', examples: [example] };
export const RuleFile = Type.Unsafe<string>(csv);
export const RuleFileBody = Type.Unsafe<string>({ ...csv, 'x-file': 'owners.csv' });

export const ImportQuery = Type.Object({
  dry_run: defaulted(Type.Boolean({ description: 'only say what would change', examples: [true] }), false),
  remove_all: defaulted(
    Type.Boolean({
      description: 'allow a file that has only a heading, which removes all rules',
      examples: [false],
    }),
    false,
  ),
});

const { kind: fileKind, owner, repository, workflow, label, valid_from, valid_until } = fields;

export const ImportSchema = Type.Object({
  dry_run: Type.Boolean(),
  rules: Type.Integer({ description: 'rules in the file' }),
  added: Type.Integer(),
  removed: Type.Integer(),
  unchanged: Type.Integer(),
  is_reordered: Type.Boolean({ description: 'whether unchanged rules get another order' }),
  changes: Type.Array(
    Type.Object({
      change: words(['add', 'remove']),
      kind: fileKind,
      owner,
      repository,
      workflow,
      label,
      valid_from,
      valid_until,
    }),
    { description: 'the first 100' },
  ),
});

export const Deleted = Type.Object({ message: sampleText('The ownership rule has been deleted.') });
