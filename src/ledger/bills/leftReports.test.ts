import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { startTestApp } from '../../../test/harness/app.ts';
import { bill, importCsv, lineOf } from '../../../test/harness/bills.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { cliActor } from '../../platform/lib/actor.ts';
import { importReport } from './importReport.ts';
import { clearLeftReport } from './reports.ts';

const testApp = await startTestApp();
const { app, clock } = testApp;
const folder = mkdtempSync(join(tmpdir(), 'runcost-left-'));
after(() => rmSync(folder, { recursive: true }));
const path = '/api/v1/bills/reports';

test('a killed import counts for nothing and is deleted', async () => {
  const organization = await testApp.newOrganization();
  const { orgId } = organization;
  const now = clock.now();
  const times = { createdAt: now, touchedAt: now, importedAt: null };
  await app.db
    .insertInto('billReports')
    .values({ orgId, id: 'bill_left', sha256: 'x', fileName: 'x', bytes: 1n, format: 'detailed', ...times })
    .execute();
  const { data, pagination } = (await organization.get(path)).body;
  assert.deepEqual([data, pagination.total], [[], 0]);
  assertProblem(await organization.get(`${path}/bill_left`), 404, 'report_not_found');
  const left = () => app.db.selectFrom('billReports').select('id').where('id', '=', 'bill_left').execute();
  const days = ['2026-03-01', '2026-03-02'];
  const line = { orgId, reportId: 'bill_left', product: 'actions', sku: 'linux', unit: 'minutes', lines: 1 };
  const names = { organization: 'acme', repository: 'acme/api', workflowPath: '' };
  const amounts = { quantityNanos: 1n, listNanos: 1n, grossNanos: 1n, discountNanos: 0n, netNanos: 1n };
  await app.db
    .insertInto('billLines')
    .values(days.map((day) => ({ ...line, ...names, ...amounts, day })))
    .execute();
  const lines = () =>
    app.db.selectFrom('billLines').select('day').where('reportId', '=', 'bill_left').execute();
  await testApp.worker.processAll();
  assert.equal((await left()).length, 1, 'it may be at work still');
  clock.forward(3_700);
  const { id } = (await importCsv(testApp, organization, bill(lineOf({})))).body.data;
  await testApp.worker.processAll();
  assert.deepEqual([await left(), await lines()], [[], []]);
  assert.equal((await organization.get(`${path}/${id}`)).status, 200);
});

test('a stalled import that was partly deleted counts for nothing', async () => {
  const { orgId } = await testApp.newOrganization();
  const days = ['2026-03-01', '2026-03-02', '2026-03-03'];
  const lines = days.flatMap((date) =>
    Array.from({ length: 8_000 }, (_, index) => lineOf({ date, repository: `acme/r${index}` })),
  );
  const file = join(folder, 'bill.csv');
  writeFileSync(file, bill(...lines));
  let hasStood = false;
  const stored = () => app.db.selectFrom('billLines').select('day').where('orgId', '=', orgId).execute();
  const standStill = async () => {
    if ((await stored()).length === 0 || hasStood) return;
    hasStood = true;
    clock.forward(7_200);
    await clearLeftReport(app);
  };
  const pauses: Promise<void>[] = [];
  await assert.rejects(
    importReport(
      { ...app, actor: cliActor(orgId) },
      { path: file, name: 'bill.csv' },
      { onProgress: () => void pauses.push(standStill()) },
    ),
    { code: 'report_gone' },
  );
  await Promise.all(pauses);
  assert.ok(hasStood);
  assert.deepEqual(await stored(), []);
});
