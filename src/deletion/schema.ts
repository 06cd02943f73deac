import { Type } from 'typebox';
import { CalendarDay, usdOf } from '../platform/http/schemas.ts';

const text = (maxLength: number, description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength, description }));
const day = (description: string) => Type.Optional(Type.Unsafe<string>({ ...CalendarDay, description }));

export const RunChoiceBody = Type.Object(
  {
    ids: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 300 }), { minItems: 1, maxItems: 500 }),
    ),
    provider: text(64, 'such as `github`, or the one that was reported'),
    repo: text(255, '`owner/name` or the bare name, in any case'),
    workflow_id: text(100, 'runs of this workflow'),
    from: day('runs created on this UTC day or later'),
    to: day('runs created on this UTC day or before'),
    dry_run: Type.Optional(Type.Boolean({ description: 'only counts them' })),
  },
  { additionalProperties: false },
);

export const DeletedRunsSchema = Type.Object({
  runs: Type.Integer(),
  jobs: Type.Integer(),
  cost: usdOf('what they cost, in US dollars'),
  has_more: Type.Boolean({ description: 'whether the same request deletes more of them' }),
});

export const DeletedSchema = Type.Object({ id: Type.String(), deleted: Type.Literal(true) });

export const DeleteOrganizationQuery = Type.Object({
  confirm: Type.String({ description: "the organization's name, letter by letter" }),
});
