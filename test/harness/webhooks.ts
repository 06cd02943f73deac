import assert from 'node:assert/strict';
import type { Insertable } from 'kysely';
import type { Tables } from '../../src/tables.ts';
import type { Answer, TestApp, TestOrganization } from './app.ts';

export const hookUrl = 'https://hooks.example.com/runcost?key=k-7731';

export function createWebhook(organization: TestOrganization, fields: object = {}): Promise<Answer> {
  return organization.send('POST', '/api/v1/webhooks', {
    url: hookUrl,
    events: ['alert.triggered', 'cost.threshold'],
    ...fields,
  });
}

export async function newWebhook(
  organization: TestOrganization,
  fields: object = {},
): Promise<Answer['body']> {
  const created = await createWebhook(organization, fields);
  assert.equal(created.status, 201, created.text);
  return created.body.data;
}

export async function readWebhook(organization: TestOrganization, id: string): Promise<Answer['body']> {
  const answer = await organization.get(`/api/v1/webhooks/${id}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.body.data;
}

type DeliveryFields = Partial<Insertable<Tables['deliveries']>> & { body?: string | null };

/** Ids that sort like their numbers. */
export function deliveryId(number: number): string {
  return `del_${String(number).padStart(6, '0')}`;
}

/** Inserts deliveries of one webhook, each with its own event. By default they are pending and created now. */
export async function insertDeliveries(
  { app, clock }: TestApp,
  { orgId }: TestOrganization,
  webhookId: string,
  deliveries: DeliveryFields[],
): Promise<string[]> {
  const rows = deliveries.map(({ body = '{}', ...fields }, index) => {
    const id = fields.id ?? deliveryId(index);
    const common = { orgId, createdAt: fields.createdAt ?? clock.now() };
    const event = fields.event ?? 'alert.triggered';
    const eventId = `evt_of_${webhookId}_${id}`;
    return {
      event: { ...common, id: eventId, kind: event, body },
      delivery: { ...common, id, webhookId, eventId, event, status: 'pending' as const, ...fields },
    };
  });
  await app.db
    .insertInto('events')
    .values(rows.map(({ event }) => event))
    .execute();
  await app.db
    .insertInto('deliveries')
    .values(rows.map(({ delivery }) => delivery))
    .execute();
  return rows.map(({ delivery }) => delivery.id);
}

/** Inserts an attempt; missing fields are null. */
export async function insertAttempt(
  { app, clock }: TestApp,
  { orgId }: TestOrganization,
  ofDelivery: string,
  fields: Partial<Insertable<Tables['deliveryAttempts']>> = {},
): Promise<void> {
  const attempt = {
    orgId,
    deliveryId: ofDelivery,
    number: 1,
    reason: 'schedule' as const,
    outcome: 'failure' as const,
    startedAt: clock.now(),
    endedAt: clock.now(),
    url: hookUrl,
  };
  await app.db
    .insertInto('deliveryAttempts')
    .values({ ...attempt, ...fields })
    .execute();
}

export function deliveryRows({ app }: TestApp, webhookId: string) {
  return app.db
    .selectFrom('deliveries')
    .selectAll()
    .where('webhookId', '=', webhookId)
    .orderBy('id')
    .execute();
}

export async function auditOf(organization: TestOrganization, target: string): Promise<Answer['body'][]> {
  const { body } = await organization.get('/api/v1/audit-log', { per_page: 100 });
  return (body.data as Answer['body'][]).filter((entry) => entry.target === target).toReversed();
}
