import assert from 'node:assert/strict';
import type { EventData } from '../../src/events/eventTypes.ts';
import { recordEvents } from '../../src/events/outbox.ts';
import type { Answer, TestApp, TestOrganization } from './app.ts';
import type { WebhookReceiver } from './webhookReceiver.ts';
import { newWebhook } from './webhooks.ts';

export const base = '/api/v1/webhooks';
const kind = 'cost.threshold';

export function subscribe(
  organization: TestOrganization,
  { url }: WebhookReceiver,
  fields: object = {},
): Promise<Answer['body']> {
  return newWebhook(organization, { url, events: [kind], ...fields });
}

export async function emitEvents(
  { app, clock }: TestApp,
  { orgId }: TestOrganization,
  examples: object[] = [{ threshold: { percentage: 50 } }],
): Promise<void> {
  const recording = { orgId, now: clock.now(), subscribers: app.subscribers };
  const data = examples as EventData[typeof kind][];
  await app.db.transaction().execute((tx) => recordEvents(tx, recording, kind, data));
}

export async function deliveriesOf(organization: TestOrganization, id: string): Promise<Answer['body'][]> {
  return (await organization.get(`${base}/${id}/deliveries`)).body.data.deliveries;
}

export async function latestDelivery(organization: TestOrganization, id: string): Promise<Answer['body']> {
  const [latest] = await deliveriesOf(organization, id);
  return (await organization.get(`${base}/${id}/deliveries/${latest.id}`)).body.data;
}

export async function onlyDelivery(organization: TestOrganization, id: string): Promise<Answer['body']> {
  assert.equal((await deliveriesOf(organization, id)).length, 1);
  return latestDelivery(organization, id);
}

export async function statusOf(organization: TestOrganization, id: string): Promise<string> {
  return (await organization.get(`${base}/${id}`)).body.data.status;
}

/** The longest delay before each retry, including jitter. */
export const secondsToNextAttempt = [1, 5, 30, 120].map((minutes) => minutes * 60 * 1.1 + 1);
