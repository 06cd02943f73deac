import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestApp } from '../../../test/harness/app.ts';
import { rowsIn } from './rowsIn.ts';

const { app, newOrganization } = await startTestApp();
const viewRows = rowsIn('savedViews');

async function newViews() {
  const { orgId } = await newOrganization();
  const at = app.clock.now();
  const common = { orgId, query: '', isShared: false, author: 'Mona', createdAt: at, updatedAt: at };
  const own = await viewRows.insert(app.db, { ...common, id: 'view_1', name: 'Own', memberId: null });
  const other = await viewRows.insert(app.db, { ...common, id: 'view_2', name: 'Other', memberId: 'mem_1' });
  return { orgId, own, other };
}

test('statements about a row concern no other row, and none of another organization', async () => {
  const [{ orgId, own, other }, elsewhere] = [await newViews(), await newViews()];
  const renamed = await viewRows.change(app.db, own, { name: 'Renamed' });
  assert.deepEqual(renamed, { ...own, name: 'Renamed' });
  assert.deepEqual(await viewRows.find(app.db, { orgId, id: other.id }), other);
  assert.equal(await viewRows.remove(app.db, own), true);
  assert.equal(await viewRows.remove(app.db, own), false);
  assert.equal(await viewRows.change(app.db, own, { name: 'Late' }), undefined);
  assert.deepEqual(await viewRows.list(app.db, { orgId: elsewhere.orgId }, 'id'), [
    elsewhere.own,
    elsewhere.other,
  ]);
});

test('a condition compares each field, also with null', async () => {
  const { orgId, own, other } = await newViews();
  assert.equal(await viewRows.count(app.db, { orgId, memberId: null }), 1);
  assert.deepEqual(await viewRows.list(app.db, { orgId, memberId: 'mem_1' }), [other]);
  assert.equal(await viewRows.find(app.db, own, { memberId: 'mem_1' }), undefined);
  assert.equal(await viewRows.change(app.db, own, { name: 'No' }, { name: 'Other' }), undefined);
  const page = await viewRows.page(app.db, { orgId }, { limit: 1, offset: 0 }, 'id desc');
  assert.deepEqual(page, { rows: [other], total: 2 });
});
