import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedTestApp, type Answer } from '../../../test/harness/app.ts';
import { assertNothingStored, bill, importCsv, lineOf } from '../../../test/harness/bills.ts';
import { assertProblem } from '../../../test/harness/problem.ts';

const testApp = await sharedTestApp();
const { app } = testApp;

const dated = (...dates: string[]): string => bill(...dates.map((date) => lineOf({ date })));

const refused: [what: string, dates: string[], asked: string | undefined, code: string, paths: string[]][] = [
  [
    'a date that is only a day as day/month, among others',
    ['01/02/2026', '13/02/2026', '14/02/2026'],
    undefined,
    'date_order_mismatch',
    ['body.line 3'],
  ],
  [
    'the same with date_order=mdy',
    ['01/02/2026', '13/02/2026'],
    'mdy',
    'date_order_mismatch',
    ['body.line 3'],
  ],
  [
    'a date that is only a day as month/day, with date_order=dmy',
    ['01/02/2026', '02/13/2026'],
    'dmy',
    'date_order_mismatch',
    ['body.line 3'],
  ],
  [
    'dates in both orders',
    ['02/13/2026', '13/02/2026'],
    'dmy',
    'date_orders_mixed',
    ['body.line 2', 'body.line 3'],
  ],
  [
    'dates that can all be read in two ways',
    ['2026-02-01', '02/02/2026', '01/02/2026', '1/2/26'],
    undefined,
    'date_order_required',
    ['query.date_order', 'body.line 4'],
  ],
];
for (const [what, dates, asked, code, paths] of refused) {
  test(`${what}: refuses the file and names its lines`, async () => {
    const organization = await testApp.newOrganization();
    const answer = await importCsv(testApp, organization, dated(...dates), { dateOrder: asked });
    assertProblem(answer, 400, code, paths);
    await assertNothingStored(testApp, organization);
  });
}

const read: [
  what: string,
  dates: string[],
  asked: string | undefined,
  order: string | null,
  days: string[],
][] = [
  ['month/day that shows', ['01/02/2026', '01/13/2026'], undefined, 'mdy', ['2026-01-02', '2026-01-13']],
  [
    'day/month that shows and is asked for',
    ['01/02/2026', '13/02/2026'],
    'dmy',
    'dmy',
    ['2026-02-01', '2026-02-13'],
  ],
  [
    'an open order with date_order=dmy',
    ['01/02/2026', '02/02/2026'],
    'dmy',
    'dmy',
    ['2026-02-01', '2026-02-02'],
  ],
  [
    'an open order with date_order=mdy',
    ['02/01/2026', '02/02/2026'],
    'mdy',
    'mdy',
    ['2026-02-01', '2026-02-02'],
  ],
  [
    'dates that are the same in both orders',
    ['01/01/2026', '2/2/26'],
    undefined,
    null,
    ['2026-01-01', '2026-02-02'],
  ],
  [
    'ISO dates, whatever order is given',
    ['2026-01-02', '2026-01-13'],
    'dmy',
    null,
    ['2026-01-02', '2026-01-13'],
  ],
];
for (const [what, dates, asked, order, days] of read) {
  test(`${what}: imports the file`, async () => {
    const organization = await testApp.newOrganization();
    const answer = await importCsv(testApp, organization, dated(...dates), { dateOrder: asked });
    assert.equal(answer.status, 201, answer.text);
    const { date_order: stored, period, lines } = answer.body.data;
    assert.deepEqual([stored, lines.skipped, period], [order, 0, { start: days[0], end: days[1] }]);
  });
}

test('the errors show both days and the setting', async () => {
  const organization = await testApp.newOrganization();
  const details = async (...dates: string[]): Promise<Answer['body']> =>
    (await importCsv(testApp, organization, dated(...dates))).body.detail;
  assert.equal(
    await details('03/04/2026'),
    'The file does not show whether its dates are month/day or day/month: "03/04/2026" in line 2 could be 2026-03-04 or ' +
      '2026-04-03; set query.date_order to mdy or dmy.',
  );
  assert.equal(
    await details('13/03/2026'),
    'The file has the date "13/03/2026" in line 2, which is day/month; if all its dates are, set query.date_order ' +
      'to dmy.',
  );
});

test('skipped lines prove no order', async () => {
  const organization = await testApp.newOrganization();
  const csv = bill(lineOf({ date: '01/02/2026' }), lineOf({ date: '01/13/2026' }), '13/02/2026,actions');
  const answer = await importCsv(testApp, organization, csv);
  assert.deepEqual(
    [answer.status, answer.body.data.date_order, answer.body.data.lines.skipped],
    [201, 'mdy', 1],
  );
});

test('refuses to import a file again in the other order', async () => {
  const organization = await testApp.newOrganization();
  const csv = dated('01/02/2026');
  const first = await importCsv(testApp, organization, csv, { dateOrder: 'mdy' });
  const { id } = first.body.data;
  for (const options of [{}, { dateOrder: 'mdy' }]) {
    const again = await importCsv(testApp, organization, csv, options);
    assert.deepEqual([again.status, again.body.data.id], [200, id]);
  }
  const other = await importCsv(testApp, organization, csv, { dateOrder: 'dmy' });
  assertProblem(other, 409, 'imported_in_other_order');
  assert.ok(other.body.detail.includes(id));
  await app.db.updateTable('billReports').set({ dateOrder: null }).where('id', '=', id).execute();
  const older = await importCsv(testApp, organization, csv, { dateOrder: 'dmy' });
  assertProblem(older, 409, 'imported_in_other_order');
  await organization.send('DELETE', `/api/v1/bills/reports/${id}`);
  assert.equal((await importCsv(testApp, organization, csv, { dateOrder: 'dmy' })).status, 201);
});

test('refuses an unknown order', async () => {
  const organization = await testApp.newOrganization();
  const answer = await importCsv(testApp, organization, dated('2026-01-02'), { dateOrder: 'ymd' });
  assertProblem(answer, 400, 'invalid_request', ['query.date_order']);
});
