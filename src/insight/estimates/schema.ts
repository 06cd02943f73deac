import { Type } from 'typebox';
import {
  defaulted,
  nullableObject,
  nullableText,
  Period,
  sampleText,
  usdOf,
  words,
} from '../../platform/http/schemas.ts';
import { repositoryName } from '../../platform/lib/text.ts';
import { maxSizeText } from './threads.ts';

const strict = { additionalProperties: false };

/** Per revision. Repositories rarely have as many files, and larger files are not workflows. */
const maxFiles = 500;
const maxFileCharacters = 256 * 1024;
/** Enough for both revisions as JSON. */
export const maxBodyBytes = 8 * 1024 * 1024;

const revision = (description: string) =>
  Type.Object(
    {
      files: Type.Array(
        Type.Object(
          {
            path: Type.String({ minLength: 1, maxLength: 500, examples: ['.github/workflows/ci.yml'] }),
            content: Type.String({ maxLength: maxFileCharacters }),
          },
          strict,
        ),
        {
          maxItems: maxFiles,
          description: `all workflow files, also unchanged ones: up to ${maxSizeText}`,
        },
      ),
    },
    { ...strict, description },
  );

const file = (runner: string) => ({
  path: '.github/workflows/ci.yml',
  content: `on: push\njobs:\n  test:\n    runs-on: ${runner}\n`,
});

export const EstimateBody = Type.Object(
  {
    repository: Type.String({
      pattern: repositoryName.source,
      maxLength: 255,
      description: 'owner/name, as runs report it',
    }),
    provider: Type.Optional(words(['github', 'gitlab'], { description: 'default: by the files' })),
    base: revision('before the change'),
    head: revision('with the change'),
    days: defaulted(Type.Integer({ minimum: 1, maximum: 90, description: 'that the amounts are for' }), 30),
    own_jobs_only: defaulted(
      Type.Boolean({
        description: 'compares new jobs with none of other repositories, whose names its readers may not see',
      }),
      false,
    ),
  },
  {
    ...strict,
    examples: [
      {
        repository: 'acme/api',
        base: { files: [file('ubuntu-latest')] },
        head: { files: [file('macos-latest')] },
      },
    ],
  },
);

const Amount = Type.Object({
  monthly_cost: usdOf('expected in `days` days, to the cent'),
  low: usdOf('of the likely range'),
  high: usdOf('of the likely range'),
});

const JobSchema = Type.Object({
  workflow: sampleText('CI'),
  path: sampleText('.github/workflows/ci.yml'),
  job: sampleText('test (ubuntu-latest, 22)', 'as the provider shows it'),
  status: words(['added', 'removed', 'changed', 'unchanged']),
  runner: nullableText('ubuntu-latest', 'its labels; null if the files do not say'),
  runner_before: nullableText('macos-latest', 'at the base, where it differs'),
  base: nullableObject(Amount, 'null for an added job, and without a price or duration'),
  head: nullableObject(Amount, 'null for a removed job, and without a price or duration'),
  change: nullableObject(Amount, 'null if one of the two is not known; the totals leave the job out'),
  is_unpriced: Type.Boolean({ description: 'its runner has no price' }),
  basis: sampleText('412 recorded jobs of its own', 'what the amounts are made from'),
  basis_kind: words(['own_history', 'similar_jobs', 'none']),
});

export const EstimateSchema = Type.Object({
  repository: sampleText('acme/api'),
  provider: sampleText('github'),
  currency: Type.Literal('USD'),
  days: Type.Integer({ examples: [30] }),
  period: Type.Object(Period.properties, {
    description: 'the recorded days that the estimate is made from',
  }),
  recorded_jobs: Type.Integer({ description: 'of the repository in the period' }),
  left_out_days: Type.Array(sampleText('2026-03-04'), {
    description: 'days marked unusual, which it leaves out',
  }),
  note: nullableText(
    'Nothing of acme/apo is recorded yet. Did you mean acme/api?',
    'null if something of the repository was recorded',
  ),
  change: Amount,
  base: Amount,
  head: Amount,
  jobs: Type.Array(JobSchema, { description: 'changed ones first, with the largest change first' }),
  assumptions: Type.Array(sampleText('Another runner (1 job): expected to take as long as before.')),
  unresolved: Type.Array(
    Type.Object({
      path: sampleText('.github/workflows/ci.yml'),
      job: nullableText('deploy'),
      reason: sampleText('Its runner is chosen when it runs.'),
    }),
    { description: 'what the files and the recorded runs do not answer' },
  ),
  markdown: sampleText(
    '**CI costs about $90.00 more a month**',
    'a comment for a pull request; send `own_jobs_only` if its readers may not see other repositories',
  ),
});
