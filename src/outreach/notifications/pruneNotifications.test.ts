import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestApp } from '../../../test/harness/app.ts';
import { pruneNotifications } from './notifications.ts';

const testApp = await startTestApp();
const { app, clock, worker } = testApp;

type Fields = {
  id: string;
  status: 'pending' | 'sent' | 'failed';
  dueAt: string;
  createdAt?: string;
  sentAt?: string;
};

async function insert(orgId: string, rows: Fields[]): Promise<void> {
  const values = rows.map(({ id, status, dueAt, createdAt = dueAt, sentAt }) => ({
    orgId,
    id,
    status,
    triggerId: 'trg_1',
    channel: 'chat' as const,
    recipient: '',
    notice: '{}',
    attempts: 1,
    dueAt: new Date(dueAt),
    createdAt: new Date(createdAt),
    sentAt: sentAt === undefined ? null : new Date(sentAt),
  }));
  await app.db.insertInto('notifications').values(values).execute();
}

async function left(): Promise<string[]> {
  const rows = await app.db.selectFrom('notifications').select('id').orderBy('id').execute();
  return rows.map(({ id }) => id);
}

test('deletes only messages that ended more than 30 days ago', async () => {
  const { orgId } = await testApp.newOrganization();
  clock.set('2026-03-31T12:00:00Z');
  const [before, at] = ['2026-03-01T11:59:59.999Z', '2026-03-01T12:00:00Z'];
  await insert(orgId, [
    { id: 'sent before', status: 'sent', dueAt: before, sentAt: before },
    { id: 'failed before', status: 'failed', dueAt: before },
    { id: 'sent since', status: 'sent', dueAt: at, sentAt: at },
    { id: 'failed since, queued before', status: 'failed', dueAt: at, createdAt: before },
    { id: 'pending', status: 'pending', dueAt: before },
  ]);
  assert.equal(await pruneNotifications(app), false);
  assert.deepEqual(await left(), ['failed since, queued before', 'pending', 'sent since']);
  await app.db.deleteFrom('notifications').execute();
});

test('deletes at most 500 at a time, the oldest first', async () => {
  const { orgId } = await testApp.newOrganization();
  clock.set('2026-03-31T12:00:00Z');
  const dueAt = (index: number) => new Date(Date.UTC(2026, 0, 1, 0, index)).toISOString();
  const ids = Array.from({ length: 501 }, (_, index) => `ntf_${String(index).padStart(3, '0')}`);
  await insert(
    orgId,
    ids.map((id, index) => ({ id, status: 'failed', dueAt: dueAt(index) })),
  );
  assert.equal(await pruneNotifications(app), true);
  assert.deepEqual(await left(), ['ntf_500']);
  await worker.processAll();
  assert.deepEqual(await left(), []);
});
