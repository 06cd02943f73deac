import { Type } from 'typebox';
import { gitHubPlans } from '../../ledger/pricing/publishedTerms.ts';
import {
  dayOf,
  nullable,
  nullableObject,
  nullableText,
  nullableTimestampOf,
  NullableTimestamp,
  PageQuery,
  Pagination,
  Quantity,
  sampleText,
  Timestamp,
  Usd,
  usdOf,
  words,
} from '../../platform/http/schemas.ts';
import { actions } from './fixes.ts';

const Gigabytes = { ...Quantity, description: 'gigabytes of 2^30 bytes', examples: [5.58] };
const amounts = {
  cost_this_month: usdOf(
    'list cost of this month until it was read; what was deleted or evicted before is not known',
  ),
  cost_per_month: usdOf('list cost of what is stored now, if it stays for a month'),
};

export const StorageQuery = Type.Object({
  ...PageQuery.properties,
  repo: Type.Optional(
    Type.String({ maxLength: 200, description: 'owner/name, or the name alone', examples: ['acme/api'] }),
  ),
  workflow_id: Type.Optional(Type.String({ maxLength: 100, examples: ['wf_e18db5f418965475a75a'] })),
});

const FixSchema = Type.Object({
  id: sampleText('sto_4f1c2a9b7d3e5f60a1b2', '`POST /fixes/{id}/patch` takes it'),
  action: words(actions),
  text: sampleText('Kept 90 days and made 12 times in the last week.'),
  yaml: sampleText('with:\n  retention-days: 7\n', 'lines for the workflow file'),
  command: nullableText(
    'gh cache delete 42 -R acme/api',
    'removes what is stored already, with the GitHub CLI; null if a name does not fit into a command',
  ),
});

const ItemSchema = Type.Object({
  repository: sampleText('acme/api'),
  kind: words(['artifact', 'cache'] as const),
  workflow_id: nullableText(
    'wf_e18db5f418965475a75a',
    'null for caches, whose workflow GitHub does not say, and for artifacts of runs that are not recorded',
  ),
  workflow: nullableText('CI'),
  name: sampleText(
    'coverage-*',
    'of the artifact, or the key of the cache; * stands for dates, hashes and numbers',
  ),
  ref: nullableText('refs/heads/main', 'of caches; those of all pull requests are `refs/pull/*`'),
  count: Type.Integer({ description: 'stored now', examples: [214] }),
  gb: Gigabytes,
  gb_hours: { ...Quantity, description: 'of this month, until it was read' },
  ...amounts,
  retention_days: nullable(
    Type.Integer({ description: 'of the newest artifact; null for caches', examples: [90] }),
  ),
  made_last_week: Type.Integer(),
  first_expires_at: nullableTimestampOf('the next to expire; null for caches'),
  last_expires_at: NullableTimestamp,
  expiring_gb: { ...Quantity, description: 'gigabytes that expire within a week' },
  saving_per_month: Usd,
  fix: nullableObject(FixSchema, 'what to change; null if nothing is to be saved'),
});

export const StorageSchema = Type.Object({
  data: Type.Object({
    month_start: dayOf('2026-03-01'),
    artifacts: Type.Integer(),
    artifact_gb: Gigabytes,
    cache_gb: Gigabytes,
    ...amounts,
    saving_per_month: usdOf('of all fixes; no dollar counts twice'),
    included: nullableObject(
      Type.Object({
        github_plan: words(gitHubPlans),
        gb: Type.Number({ examples: [2] }),
      }),
      'artifact storage that the plan of the billing terms includes, shared with GitHub Packages; not taken off here',
    ),
    repositories: Type.Array(
      Type.Object({
        repository: sampleText('acme/api'),
        read_at: Timestamp,
        artifact_gb: Gigabytes,
        caches: Type.Integer(),
        cache_gb: Gigabytes,
        ...amounts,
        unlisted: Type.Integer({ description: 'older artifacts that were not read' }),
        unknown_artifacts: Type.Integer({ description: 'artifacts of runs that are not recorded' }),
        problems: Type.Array(sampleText('The caches of acme/api could not be read.'), {
          description: 'what could not be read, and why',
        }),
      }),
      { description: 'read within the last seven days' },
    ),
    days: Type.Array(Type.Object({ day: dayOf('2026-03-17'), artifact_gb: Gigabytes, cache_gb: Gigabytes }), {
      description: 'what was stored on each of the last 30 days with a reading',
    }),
    items: Type.Array(ItemSchema),
  }),
  pagination: Pagination,
});
