import { Type } from 'typebox';
import { actorKindText } from '../../ledger/actors/actorPattern.ts';
import { pullRequestStates } from '../../ledger/pullRequests/pullRequests.ts';
import {
  dayOf,
  nullableText,
  nullableTimestampOf,
  PageQuery,
  Pagination,
  Period,
  sampleText,
  Usd,
  usdOf,
  words,
} from '../../platform/http/schemas.ts';
import type { DecimalNumber } from '../../platform/lib/money.ts';
import { filters, Ownership, windowQuery } from './schema.ts';

export const ListQuery = Type.Object({
  ...windowQuery,
  ownership: Ownership,
  ...filters,
  ...PageQuery.properties,
});

const State = words(pullRequestStates, {
  description:
    '`closed`: without a merge. `draft`: open, but not ready for review. `unknown`: no event of the provider said it',
});

const ActorKinds = Type.Array(Type.Object({ kind: nullableText('agent', actorKindText), cost: Usd }), {
  description: 'what kinds of actors triggered, the most expensive first; `cost` is their sum',
});

const ended = {
  pull_requests: Type.Integer({ description: 'that have jobs' }),
  cost: usdOf('their `total_cost`'),
  median_cost: Type.Unsafe<DecimalNumber | null>({
    ...Usd,
    type: ['number', 'null'],
    description: 'of their `total_cost`; null if there are none',
  }),
};

const ListedPullRequest = Type.Object({
  provider: sampleText('github'),
  repository: sampleText('acme/api'),
  number: Type.Integer({ examples: [42] }),
  title: nullableText('Cache the dependencies'),
  author: nullableText('mona', 'who opened it; null if no event said it'),
  state: State,
  created_at: nullableTimestampOf('when it was opened; null if no event said it'),
  ended_at: nullableTimestampOf(
    'when it was merged or closed; null while it is open, or if no event said it',
  ),
  cost: usdOf('list cost of its jobs in the period'),
  actor_kinds: ActorKinds,
  total_cost: usdOf('list cost of its jobs from `counted_from` to the end of the period'),
  runs: Type.Integer({ description: 'all that are stored' }),
  pushes: Type.Integer({ description: 'commits that have runs' }),
  reruns: Type.Integer({ description: 'attempts after the first' }),
  url: nullableText('https://github.com/acme/api/pull/42', 'its page at the provider'),
});

export const ListSchema = Type.Object({
  data: Type.Object({
    period: Period,
    counted_from: dayOf('2025-12-01', 'the first day of `total_cost`: at most 90 days before the period'),
    cost: usdOf('list cost of all pull requests in the period'),
    actor_kinds: ActorKinds,
    states: Type.Array(Type.Object({ state: State, pull_requests: Type.Integer(), cost: Usd }), {
      description: 'those with jobs in the period; `cost` is their sum',
    }),
    merged: Type.Object(ended, { description: 'merged in the period' }),
    closed: Type.Object(ended, { description: 'closed without a merge in the period' }),
    pull_requests: Type.Array(ListedPullRequest, {
      description: 'those with jobs in the period, most expensive first',
    }),
  }),
  pagination: Pagination,
});
