import { Type } from 'typebox';
import {
  CalendarDay,
  nullable,
  nullableObject,
  sampleText,
  taskFields,
  words,
} from '../../platform/http/schemas.ts';
import { plans } from '../../platform/lib/actor.ts';

const days = (description: string) => nullable(Type.Integer({ description }));

export const RetentionQuery = Type.Object({
  days: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 36_500,
      description: 'counts what this setting would remove',
      examples: [365],
    }),
  ),
  plan: Type.Optional(words(plans, { description: 'answers as if the organization had this plan' })),
});

export const RetentionSchema = Type.Object({
  run_retention_days: days("the organization's setting; null keeps runs forever"),
  max_retention_days: days(
    "the server's setting RETENTION_DAYS for the organization's plan, or for the asked `plan`; null sets no limit",
  ),
  retention_days: days('the smaller of the two, which applies, or would with the asked `plan`'),
  details_from: nullable({ ...CalendarDay, description: 'runs created before this day are removed' }),
  first_kept_day: nullable({
    ...CalendarDay,
    description: 'first day whose runs the asked `days` or `plan`, else the settings, keep; null keeps all',
  }),
  runs_to_remove: Type.Integer({ description: 'runs from before that day that are still stored' }),
  export_before_removal: Type.Boolean({
    description: 'whether the server writes runs and jobs to files first (RETENTION_EXPORT_DIR)',
  }),
  removal: nullableObject(
    Type.Object({
      id: sampleText('removal_1a7c5e9b3d0f8264c1e7'),
      before: CalendarDay,
      jobs_removed: Type.Integer(),
      ...taskFields,
    }),
    'the latest removal; its progress counts runs',
  ),
});
