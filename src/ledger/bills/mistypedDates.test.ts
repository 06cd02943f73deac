import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedTestApp, type Answer, type TestOrganization } from '../../../test/harness/app.ts';
import { bill, importCsv, lineOf } from '../../../test/harness/bills.ts';

const testApp = await sharedTestApp();

async function imported(organization: TestOrganization, csv: string): Promise<Answer['body']> {
  const answer = await importCsv(testApp, organization, csv);
  assert.equal(answer.status, 201, answer.text);
  return answer.body.data;
}

test('skips a line of the day after tomorrow, like a mistyped year', async () => {
  const organization = await testApp.newOrganization();
  const {
    lines,
    period,
    bad_lines: bad,
  } = await imported(
    organization,
    bill(...['2026-03-19', '2026-03-20', '2062-03-02'].map((date) => lineOf({ date }))),
  );
  assert.deepEqual([lines.kept, lines.skipped, period.end], [1, 2, '2026-03-19']);
  assert.deepEqual(bad[1], { line: 4, reason: 'has the date "2062-03-02", which is in the future' });
});

test('skips a line of another year, which takes no days from other reports', async () => {
  const organization = await testApp.newOrganization();
  await imported(organization, bill(lineOf({ date: '2025-06-01' })));
  const dates = ['2016-03-02', '2026-03-01', '2026-03-02', '1926-03-02'];
  const report = await imported(organization, bill(...dates.map((date) => lineOf({ date }))));
  assert.deepEqual(report.period, { start: '2026-03-01', end: '2026-03-02' });
  assert.deepEqual(report.replaces, []);
  assert.deepEqual(report.bad_lines, [
    { line: 2, reason: 'has the date "2016-03-02", but the report covers 2026-03-01 to 2026-03-02' },
    { line: 5, reason: 'has the date "1926-03-02", which is not a day such as 2026-01-31' },
  ]);
});
