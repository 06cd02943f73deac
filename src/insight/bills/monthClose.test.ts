import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestApp, type Answer } from '../../../test/harness/app.ts';
import { newBilledCompany } from '../../../test/harness/billedCompany.ts';
import { inCents } from '../../platform/lib/amountTexts.ts';

const testApp = await startTestApp();

const nanos = (dollars: number) => BigInt(Math.round(dollars * 1e9));
const sum = (rows: Answer['body'][], field: string): bigint =>
  rows.reduce((total: bigint, row) => total + nanos(row[field]), 0n);

test('closes a month: the reasons add up to the difference, and the teams to the total', async () => {
  const { organization, work, bill } = await newBilledCompany(testApp);
  const get = async (month: string) => organization.get(`/api/v1/bills/months/${month}`);
  for (const [at, team] of ['a', 'b', 'c', 'd', 'e', 'f', 'g'].entries()) {
    const rule = { kind: 'team', owner: `Team ${team}`, repository: `acme/${team}` };
    assert.equal((await organization.send('POST', '/api/v1/ownership/rules', rule)).status, 201);
    await work({ day: '2026-02-03', repository: `acme/${team}`, minutes: 10 - at });
  }
  await work({ day: '2026-02-04', repository: 'acme/lone', minutes: 7, private: false });
  await work({ day: '2026-02-05', repository: 'other/x', minutes: 3 });
  await bill(
    { date: '2026-02-01', gross: 0, price: 0, quantity: 0 },
    { date: '2026-02-03', repository: 'a', quantity: 10, gross: 0.06, price: 0.006 },
    { date: '2026-02-04', product: 'copilot', sku: 'copilot_for_business', unit: 'user-months', gross: 19 },
    { date: '2026-02-28', repository: 'a', quantity: 1, gross: 0.006, price: 0.006 },
  );
  const { status, body, text } = await get('2026-02');
  assert.equal(status, 200, text);
  const { data: close } = body;
  assert.equal(close.is_closed, true);
  assert.equal(
    close.sentence,
    'February 2026 closed: $19.07 billed, $0.47 at list prices. −$0.31 of the difference of +$18.60 is unexplained.',
  );
  assert.deepEqual(
    close.steps.map(({ key, amount }: Answer['body']) => [key, amount]),
    [
      ['not_on_bill', -0.024],
      ['public_repository', -0.056],
      ['price_list', -0.02],
      ['missing_deliveries', 0.006],
      ['unexplained', -0.312],
      ['other_products', 19],
    ],
  );
  assert.equal(sum(close.steps, 'amount'), nanos(close.difference));
  assert.equal(nanos(close.difference), nanos(close.billed) - nanos(close.listed));
  assert.deepEqual(
    close.teams.map(({ name, is_team: isTeam }: Answer['body']) => [name, isTeam]),
    [
      ...['a', 'b', 'c', 'd', 'e'].map((team) => [`Team ${team}`, true]),
      ['2 other teams', false],
      ['unowned', false],
    ],
  );
  assert.equal(sum(close.teams, 'cost'), nanos(close.listed));
  assert.equal(sum(close.teams, 'net_cost'), nanos(close.net));
});

test('says that a bill agrees whose differences add up to nothing', async () => {
  const { organization, work, bill } = await newBilledCompany(testApp);
  await work({ day: '2026-02-05', repository: 'other/x', minutes: 3 });
  await bill(
    { date: '2026-02-01', gross: 0, price: 0, quantity: 0 },
    {
      date: '2026-02-04',
      product: 'copilot',
      sku: 'copilot_for_business',
      unit: 'user-months',
      gross: 0.024,
    },
    { date: '2026-02-28', gross: 0, price: 0, quantity: 0 },
  );
  const { data: close } = (await organization.get('/api/v1/bills/months/2026-02')).body;
  assert.equal(close.steps.length, 2);
  assert.equal(close.sentence, 'February 2026 closed: $0.02 billed, $0.02 at list prices. Both agree.');
});

test('says why a month is not closed', async () => {
  const { organization, work, bill } = await newBilledCompany(testApp);
  await work({ day: '2026-02-03' });
  await bill({ date: '2026-02-02' }, { date: '2026-03-01' });
  const sentenceOf = async (month: string): Promise<string> => {
    const { body } = await organization.get(`/api/v1/bills/months/${month}`);
    assert.equal(body.data.is_closed, false);
    return body.data.sentence;
  };
  assert.match(
    await sentenceOf('2026-02'),
    /^February 2026 is not closed: 1 day has no bill report\. So far /,
  );
  assert.match(await sentenceOf('2026-03'), /^March 2026 is not closed: it is not over\. So far /);
  for (const [month, status, detail] of [
    ['2026-04', 400, 'params.id must not be in the future'],
    ['2026-13', 404, 'There is no such month in this organization.'],
    ['2019-01', 400, "params.id must not be before your plan's history begins"],
  ] as const) {
    const { body } = await organization.get(`/api/v1/bills/months/${month}`);
    assert.deepEqual([body.status, body.detail], [status, detail]);
  }
});

test('rounded steps add up to the rounded end', () => {
  const steps = [4_000_000n, 4_000_000n, 4_000_000n, -1_000_000_000n];
  assert.deepEqual(inCents(0n, steps), [0n, 10_000_000n, 0n, -1_000_000_000n]);
});
