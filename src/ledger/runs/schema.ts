import { Type } from 'typebox';
import { CalendarDay, NullableString, pageOf, usdOf } from '../../platform/http/schemas.ts';

export const UnpricedRunners = pageOf(
  Type.Object({
    labels: Type.Array(Type.String(), { description: 'lower-case, sorted' }),
    runner_group: NullableString,
    jobs: Type.Integer(),
    minutes: Type.Integer({ description: 'rounded up per job, as if they were billed' }),
    last_seen: CalendarDay,
  }),
);

const choiceText = (maxLength: number, description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength, description }));
const day = (description: string) => Type.Optional(Type.Unsafe<string>({ ...CalendarDay, description }));

export const RunChoiceBody = Type.Object(
  {
    ids: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 300 }), { minItems: 1, maxItems: 500 }),
    ),
    provider: choiceText(64, 'such as `github`, or the one that was reported'),
    repo: choiceText(255, '`owner/name` or the bare name, in any case'),
    workflow_id: choiceText(100, 'runs of this workflow'),
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
