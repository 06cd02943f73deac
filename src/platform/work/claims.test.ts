import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { sharedTestApp } from '../../../test/harness/app.ts';
import { changeInEach, claimInOrder } from './claims.ts';

const testApp = await sharedTestApp();
const { db } = testApp.app;
const [broken, healthy] = [await testApp.newOrganization(), await testApp.newOrganization()];
const due = sql`select org_id from organizations where org_id in (${broken.orgId}, ${healthy.orgId}) order by created_at`;

test('a claim that fails in one organization leaves the others theirs, and is thrown when they have none left', async () => {
  const left = [healthy.orgId];
  const claim = async (orgId: string) => {
    if (orgId === broken.orgId) throw new Error('broken');
    return left.pop();
  };
  assert.equal(await claimInOrder(db, due, claim), healthy.orgId);
  await assert.rejects(claimInOrder(db, due, claim), { message: 'broken' });
});

test('changes that fail in one organization are made in the others, and then thrown', async () => {
  const change = (orgId: string) => sql`
    update organizations set name = ${orgId === broken.orgId ? null : 'changed'} where org_id = ${orgId}
  `;
  await assert.rejects(changeInEach(db, due, change), /could not change rows/);
  assert.equal((await healthy.get('/api/v1/organization')).body.data.name, 'changed');
});
