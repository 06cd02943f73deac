import assert from 'node:assert/strict';
import type { Answer, TestApp, TestOrganization } from './app.ts';
import { newJob, newRun, submit } from './submission.ts';

/** A budget of ten dollars a month. */
export const budget = { name: 'CI budget', alert_type: 'budget', threshold_amount: 10 };

export function createAlert(organization: TestOrganization, fields: object = {}): Promise<Answer> {
  const path = `/api/v1/alerts?org_id=${organization.orgId}`;
  return organization.send('POST', path, { ...budget, ...fields });
}

export async function newAlert(organization: TestOrganization, fields: object = {}): Promise<string> {
  const created = await createAlert(organization, fields);
  assert.equal(created.status, 201, created.text);
  return created.body.id as string;
}

export async function checkAlert(organization: TestOrganization, id: string): Promise<Answer['body']> {
  const answer = await organization.send('POST', `/api/v1/alerts/${id}/check`);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

export async function triggersOf(organization: TestOrganization, id: string): Promise<Answer['body'][]> {
  return (await organization.get(`/api/v1/alerts/${id}/triggers`)).body.triggers;
}

/** A budget over its threshold, with its trigger. */
export async function newTrigger(
  organization: TestOrganization,
): Promise<{ alert: string; trigger: string }> {
  await spend(organization, 12, '2026-03-18');
  const alert = await newAlert(organization);
  await checkAlert(organization, alert);
  const [trigger] = await triggersOf(organization, alert);
  return { alert, trigger: trigger.id };
}

/** Spends whole dollars by 01:00 of a day, or by `time`: a job of 125 minutes on 2-core Linux for each. */
export async function spend(
  organization: TestOrganization,
  dollars: number,
  day: string,
  workflow = 'Build',
  time = '01:00:00',
  fields: object = {},
): Promise<void> {
  const end = new Date(`${day}T${time}Z`);
  const start = new Date(end.getTime() - 125 * 60_000);
  const times = { started_at: start, completed_at: end };
  const jobs = Array.from({ length: dollars }, () => newJob(times));
  const run = { workflow_name: workflow, created_at: start, ...times, jobs, ...fields };
  await submit(organization, newRun(run));
}

export async function eventsOf(
  { app }: TestApp,
  { orgId }: TestOrganization,
  kind: string,
): Promise<Answer['body'][]> {
  const rows = await app.db
    .selectFrom('events')
    .select('body')
    .where('orgId', '=', orgId)
    .where('kind', '=', kind)
    .orderBy('id')
    .execute();
  return rows.map(({ body }) => JSON.parse(body!));
}
