import { Type } from 'typebox';
import { actorKindText } from '../../ledger/actors/actorPattern.ts';
import { Amounts, CostWithAmounts } from '../../platform/http/amounts.ts';
import {
  nullable,
  nullableObject,
  nullableText,
  Period,
  sampleText,
  Timestamp,
  Usd,
  usdOf,
  words,
} from '../../platform/http/schemas.ts';
import { categories } from '../waste/jobGroups.ts';

const strict = { additionalProperties: false };

/** Enough for both revisions as JSON. */
export const maxBodyBytes = 8 * 1024 * 1024;

const WorkflowFile = Type.Object(
  {
    path: Type.String({ minLength: 1, maxLength: 500, examples: ['.github/workflows/ci.yml'] }),
    content: Type.String({ maxLength: 256 * 1024 }),
  },
  strict,
);

const revision = (description: string) =>
  Type.Optional(
    Type.Object({ files: Type.Array(WorkflowFile, { maxItems: 500 }) }, { ...strict, description }),
  );

export const ReportBody = Type.Object(
  {
    repository: Type.String({ minLength: 1, maxLength: 255, examples: ['acme/api'] }),
    pull_request: Type.Integer({ minimum: 1, maximum: 2_147_483_647, examples: [42] }),
    provider: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description:
          'the provider of the repository, as its runs name it: `github`, or `github.example.com` for a server of ' +
          'your own; needed only if two providers have a repository of this name',
        examples: ['github'],
      }),
    ),
    base: revision('all workflow files before the change, for an estimate; with `head`'),
    head: revision('all workflow files with the change; with `base`'),
    fail_above: Type.Optional(
      nullable(
        Type.Number({
          minimum: 0,
          maximum: 1_000_000_000,
          description:
            'US dollars: `check.conclusion` is `failure` if the list cost so far is more; null or absent: no limit',
          examples: [5],
        }),
      ),
    ),
  },
  { additionalProperties: false, examples: [{ repository: 'acme/api', pull_request: 42, fail_above: 5 }] },
);

const RecordedPeriod = nullableObject(Period, 'from the first run to today, UTC; null without a run');

const ExpensiveJob = Type.Object({
  workflow_id: sampleText('wf_e18db5f418965475a75a'),
  workflow_name: sampleText('Build'),
  name: nullableText('test'),
  cost: Usd,
  times: Type.Integer({ description: 'how often it ran, re-runs included' }),
});

const Round = Type.Object({
  commit: nullableText('5c1f0a9e7b3d4826f1a05c1f0a9e7b3d4826f1a0', 'null if nothing reported it'),
  started_at: Timestamp,
  started_by: nullableText('Copilot', 'who started its first run; null if nothing reported it'),
  actor_kind: nullableText('agent', 'what kind of actor that is: `person`, `bot` or `agent`'),
  runs: Type.Integer(),
  reruns: Type.Integer({ description: 'attempts after the first' }),
  cost: usdOf('list cost of its jobs that have ended'),
  rerun_cost: usdOf('the part of `cost` that the attempts after the first caused'),
});

const Waste = Type.Object({
  cost: Usd,
  share_percent: Type.Number({ description: 'of the list cost' }),
  categories: Type.Array(
    Type.Object({ category: words(categories), cost: Usd, jobs: Type.Integer(), minutes: Type.Number() }),
  ),
});

export const ReportSchema = Type.Object({
  repository: sampleText('acme/api'),
  pull_request: Type.Integer(),
  period: RecordedPeriod,
  runs: Type.Integer(),
  runs_in_progress: Type.Integer({ description: 'their jobs count as soon as they end' }),
  reruns: Type.Integer({ description: 'attempts after the first' }),
  cost: usdOf('list cost of all jobs that have ended'),
  net_cost: usdOf('what free runners, included minutes and discounts leave of it'),
  amounts: Amounts,
  cost_with_amounts: CostWithAmounts,
  billed_minutes: Type.Integer(),
  jobs: Type.Integer(),
  unpriced_jobs: Type.Integer({ description: 'jobs without a price, which count as $0' }),
  actor_kinds: Type.Array(Type.Object({ kind: nullableText('agent', actorKindText), cost: Usd }), {
    description: 'what kinds of actors triggered, the most expensive first',
  }),
  most_expensive_jobs: Type.Array(ExpensiveJob, {
    description: 'at most two, by name in their workflow',
  }),
  rounds: Type.Array(Round, {
    description: 'what each push caused: the runs of a commit, oldest first; `cost` is their sum',
  }),
  waste: Waste,
  estimate: nullableObject(
    Type.Object({ monthly_cost: Usd, low: Usd, high: Usd }),
    'what the workflow changes add a month, and its likely range; null without `base` and `head`',
  ),
  url: sampleText('https://runcost.acme.example/explore?pull_request=42', 'the page with these costs'),
  markdown: sampleText(
    '<!-- runcost -->\n\n### CI cost of this pull request so far: $1.24\n',
    'a comment. Its first line is a hidden mark by which it can be found again',
  ),
  check: Type.Object({
    conclusion: words(['success', 'failure', 'neutral'], {
      description: '`neutral` without a limit or without runs: a required check lets a merge through',
    }),
    title: sampleText('$1.24 so far, limit $5.00'),
    summary: sampleText('### CI cost of this pull request so far: $1.24', 'markdown'),
  }),
});
