import { products } from '../../platform/lib/products.ts';
import type { DimensionName } from './readQuestion.ts';

export const dimensionTexts: Record<DimensionName, [description: string, example: string]> = {
  product: [
    '`compute`: jobs; the others are of the bill: ' +
      products
        .filter((name) => name !== 'compute')
        .map((name) => `\`${name}\``)
        .join(', '),
    'storage',
  ],
  repository: ['`owner/name`, in any case', 'acme/api'],
  workflow: ["a workflow's id or name", 'wf_e18db5f418965475a75a'],
  job: ["the job's name", 'build'],
  runner: ['runner kind; empty: no price', 'linux'],
  runner_group: ['runner group', 'Default'],
  label: ['all labels of a job, in lower case and in order, separated by `, `', 'self-hosted, x64'],
  provider: ['provider', 'github'],
  branch: ['branch', 'main'],
  event: ['what triggered the run', 'push'],
  actor: ["who triggered the job's attempt; for runs, the latest attempt", 'mona'],
  actor_kind: [
    '`person`, `bot` or `agent`: what kind of actor triggered the attempt; empty: no actor is reported',
    'agent',
  ],
  started_by: ['who started the run', 'mona'],
  pull_request: ["the pull request's number", '42'],
  pull_request_state: [
    'what the provider says of the pull request today: `merged`, `closed` (without a merge), `open`, `draft`, or `unknown`; ' +
      'empty: no pull request',
    'merged',
  ],
  pull_request_author: [
    'who opened the pull request; empty: no pull request, or nothing reported it',
    'mona',
  ],
  conclusion: ["the run's conclusion; empty: the run has not ended", 'failure'],
  visibility: [
    "`public` or `private`: the repository's, at the time of the run; empty: not reported",
    'public',
  ],
  team: ['team, by the ownership rules; empty: unowned', 'Platform'],
  cost_center: ['cost center, by the ownership rules; empty: unowned', 'CC-1042'],
  day: ['day on which the job completed or the run was created, UTC', '2026-03-17'],
  weekday: ['`monday` to `sunday`, UTC', 'monday'],
  hour: ['`00` to `23`, UTC', '09'],
};
