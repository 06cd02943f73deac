import assert from 'node:assert/strict';
import { sumsBeforeRemoval } from '../../src/insight/waste/sumWaste.ts';
import {
  removalPoller,
  retentionPollers,
  type RemovalProgram,
} from '../../src/ledger/retention/removeRuns.ts';
import { createWorker, type Worker } from '../../src/platform/work/worker.ts';
import type { Answer, TestApp, TestOrganization } from './app.ts';
import { totalsOf } from './backfills.ts';
import { newJob, newRun } from './submission.ts';

export async function keep(organization: TestOrganization, days: number | null): Promise<void> {
  const set = await organization.send('PUT', '/api/v1/organization', { run_retention_days: days });
  assert.equal(set.status, 200, set.text);
}

export async function retentionOf(organization: TestOrganization): Promise<Answer['body']> {
  return (await organization.get('/api/v1/retention')).body.data;
}

/** A run with one job of five minutes, created at this time. */
export function runAt(createdAt: string, fields: object = {}): Record<string, unknown> {
  const start = Date.parse(createdAt);
  const completed_at = new Date(start + 300_000);
  return newRun({
    created_at: createdAt,
    started_at: createdAt,
    completed_at,
    jobs: [newJob({ started_at: createdAt, completed_at })],
    ...fields,
  });
}

export const questions: [path: string, query: Record<string, string | number>][] = [
  ['dashboard/summary', {}],
  ['dashboard/trends', { days: 365 }],
  ['dashboard/workflows', { days: 365, per_page: 100 }],
  ['dashboard/projection', {}],
  ...['cost', 'net_cost', 'jobs', 'minutes', 'runs'].map((metric): (typeof questions)[number] => [
    'costs',
    { days: 365, metric, group_by: 'repository,branch', granularity: 'day', limit: 50 },
  ]),
  ['costs', { days: 365, metric: 'net_cost', group_by: 'job,label', limit: 100 }],
  ['costs', { days: 365, group_by: 'actor,started_by', limit: 100 }],
  ['durations', { days: 365, group_by: 'workflow' }],
  ['waste', { from: '2025-10-01', to: '2025-12-29' }],
];

/** Leaves out values that only runs have: when they started. */
export function figuresIn(answer: string): unknown {
  return JSON.parse(answer.replaceAll(/"last_run_at":[^,}]+/g, '"last_run_at":0'));
}

/** Everything that people see of an organization's costs, and the stored sums. */
export async function figuresOf(testApp: TestApp, organization: TestOrganization): Promise<object> {
  const figures: Record<string, unknown> = {};
  for (const [path, query] of questions) {
    const answer = await organization.get(`/api/v1/${path}`, query);
    assert.equal(answer.status, 200, answer.text);
    figures[`${path} ${JSON.stringify(query)}`] = figuresIn(answer.text);
  }
  return { ...figures, ...(await totalsOf(testApp, organization)) };
}

/** Removes this many runs at a time. */
export function workerOf({ app }: TestApp, limit: number, program: Partial<RemovalProgram> = {}): Worker {
  const all = { ...app, retentionDays: {}, exportRemoved: null, ...sumsBeforeRemoval(app), ...program };
  const [start] = retentionPollers(all);
  return createWorker([start!, removalPoller(all, limit)], app);
}
