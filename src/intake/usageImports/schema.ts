import { Type } from 'typebox';
import {
  CalendarDay,
  nullable,
  nullableText,
  readOnlyFields,
  sampleText,
  taskFields,
  Timestamp,
} from '../../platform/http/schemas.ts';

export const sampleUsageImport = 'usg_2c9e6a4f8b1d0357e2a6';

export const NewUsageImportBody = Type.Object(
  {
    source_id: Type.Optional(
      Type.String({
        maxLength: 100,
        description: 'the CircleCI source whose token to use; optional if only one has a token',
      }),
    ),
    since: Type.String({
      maxLength: 40,
      description: 'first UTC day: a day, an instant, or an age such as 30d; at most 13 months ago',
    }),
    until: Type.Optional(
      Type.String({ maxLength: 40, description: 'last UTC day; yesterday by default, and at the latest' }),
    ),
    ...readOnlyFields('id', 'status', 'progress', 'created_at'),
  },
  { additionalProperties: false, examples: [{ since: '30d' }] },
);

export const UsageImportSchema = Type.Object({
  id: Type.String({ examples: [sampleUsageImport] }),
  source_id: sampleText('src_b7e9d0c24f1a4c3b8d5e6a7f8c9d0e1f_a266412d4c61df5d'),
  is_nightly: Type.Boolean({ description: 'whether it started by itself at night' }),
  since: CalendarDay,
  until: CalendarDay,
  waiting: nullable(
    Type.Object(
      { until: Timestamp, reason: sampleText('CircleCI prepares the usage data.') },
      { description: 'why it waits' },
    ),
  ),
  jobs: Type.Integer({ description: 'jobs in the usage data, each of which got its runner' }),
  jobs_added: Type.Integer({ description: 'of those, jobs that no event had reported' }),
  other_rows: Type.Integer({ description: 'rows that are not about a job, or say too little' }),
  runners: Type.Array(
    Type.Object({
      runner: sampleText('docker:large', "label of the jobs: CircleCI's executor and resource class"),
      jobs: Type.Integer(),
      credits: Type.Number({ description: "compute credits, as CircleCI's data has them" }),
      listed_credits: nullable(
        Type.Number({
          description: 'compute credits by the price list; null if it has no price for the runner',
        }),
      ),
      differing_jobs: Type.Integer({ description: 'jobs for which the two differ' }),
      credits_per_minute: nullable(
        Type.Number({
          description: "a hint for a price: CircleCI's credits per minute, which its rounding raises",
          examples: [20.1],
        }),
      ),
    }),
    { description: 'most credits first' },
  ),
  ...taskFields,
  error: nullableText('CircleCI rejects the token: it is wrong, expired or revoked.'),
});
