import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { sharedTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { daysOf, windowBetween } from '../../platform/lib/days.ts';
import { PublicError } from '../../platform/lib/errors.ts';
import { readPoolFile } from './poolFile.ts';

const testApp = await sharedTestApp();
const path = '/api/v1/runner-pools';

async function organizationWithPools(): Promise<TestOrganization> {
  const organization = await testApp.newOrganization();
  for (const pool of [
    { name: 'Macs', match: 'label', pattern: 'mac', resource_ids: ['i-1', 'i-2'] },
    { name: 'GPUs', match: 'label', pattern: 'gpu', periods: [{ first_day: '2026-01-01', monthly_usd: 31 }] },
  ])
    assert.equal((await organization.send('POST', path, pool)).status, 201);
  return organization;
}

async function importInto(organization: TestOrganization, csv: string, dryRun = false) {
  const answer = await organization.send('POST', `${path}/import`, { csv, dry_run: dryRun });
  assert.equal(answer.status, 200, answer.text);
  const { pools, ...rest } = answer.body.data;
  return { ...rest, pools: pools.map(({ id: _, ...pool }: { id: string }) => pool) };
}

async function costByDay(organization: TestOrganization, from: string, to: string) {
  const query = { from, to, metric: 'full_cost', group_by: 'day', sort: 'name', limit: 400 };
  const { total, groups } = (await organization.get('/api/v1/costs', query)).body.data;
  return [total.value, ...groups.map(({ value }: { value: number }) => value)];
}

const focus = [
  'ChargePeriodStart,ChargePeriodEnd,EffectiveCost,BilledCost,BillingCurrency,ResourceId,ServiceName',
  '2026-02-01T00:00:00Z,2026-02-01T01:00:00Z,1.5,9,USD,I-1,EC2',
  '2026-02-01T23:00:00Z,2026-02-02T00:00:00Z,2.5E-1,9,USD,i-2,EC2',
  '2026-02-02T00:00:00Z,2026-02-04T00:00:00Z,,3,USD,i-2,EC2',
  '2026-02-02T00:00:00Z,2026-02-03T00:00:00Z,-0.25,0,USD,i-2,EC2',
  'never,2026-02-02T00:00:00Z,7,7,EUR,i-9,EC2',
].join('\n');

describe('costs of runner pools', () => {
  test('are imported by month or day, hold instead of the price, and change nothing if repeated', async () => {
    const organization = await organizationWithPools();
    assert.deepEqual(
      await costByDay(organization, '2026-01-30', '2026-02-01'),
      [3.107142857, 1, 1, 1.107142857],
    );
    const file = 'pool,month,first_day,last_day,cost_usd\ngpus,2026-01,,,62\nGPUs,,2026-02-01,,"$5"\n';
    const pools = [
      { name: 'GPUs', first_day: '2026-01-01', last_day: '2026-02-01', cost: 67, changed_days: 32 },
    ];
    const tried = await importInto(organization, file, true);
    assert.deepEqual(tried, { dry_run: true, lines: 2, other_lines: 0, pools });
    assert.equal((await organization.get(path)).body.data[1].imported, null);
    assert.deepEqual(await importInto(organization, file), { ...tried, dry_run: false });
    assert.deepEqual(await costByDay(organization, '2026-01-30', '2026-02-01'), [9, 2, 2, 5]);
    const [, gpus] = (await organization.get(path)).body.data;
    assert.deepEqual(gpus.imported, { first_day: '2026-01-01', last_day: '2026-02-01', days: 32, cost: 67 });
    const again = await importInto(organization, file);
    assert.deepEqual(again.pools, [{ ...pools[0], changed_days: 0 }]);
    const { data } = (await organization.get('/api/v1/audit-log')).body;
    const entries = data.filter(({ action }: { action: string }) => action === 'runner_pool.import');
    assert.deepEqual(
      entries.map(({ summary }: { summary: string }) => summary),
      ['imported 32 daily amounts of GPUs'],
    );
  });

  test('are read from FOCUS, by resource, over the days of each charge', async () => {
    const organization = await organizationWithPools();
    const imported = await importInto(organization, focus);
    const macs = {
      name: 'Macs',
      first_day: '2026-02-01',
      last_day: '2026-02-03',
      cost: 4.5,
      changed_days: 3,
    };
    assert.deepEqual(imported, { dry_run: false, lines: 4, other_lines: 1, pools: [macs] });
    const query = { from: '2026-02-01', to: '2026-02-03', metric: 'full_cost', repository: 'idle of Macs' };
    const { total } = (await organization.get('/api/v1/costs', { ...query, group_by: 'day' })).body.data;
    assert.equal(total.value, 4.5);
    const later = focus.replace('1.5,9', '2.5,9');
    assert.deepEqual((await importInto(organization, later)).pools, [
      { ...macs, cost: 5.5, changed_days: 1 },
    ]);
  });

  test('with a faulty line are refused as a whole, with each line and column', async () => {
    const organization = await organizationWithPools();
    const lines = [
      'pool,month,first_day,last_day,cost_usd',
      'Macs,2026-01,,,10',
      'Mac,2026-01,,,10',
      'Macs,2026-13,,,10',
      'Macs,2026-01,2026-01-01,,10',
      'Macs,,2026-02-30,,10',
      'Macs,,2026-02-03,2026-02-01,10',
      'Macs,,2026-02-03,2028-02-01,10',
      'Macs,,2026-02-03,,ten',
      'Macs,,2026-02-03,,1e12',
      'Macs,1999-12,,,10',
      'Macs,2026-01',
    ];
    const csv = lines.join('\n');
    const answer = await organization.send('POST', `${path}/import`, { csv });
    assertProblem(answer, 400, 'invalid_request', [
      'line 3, pool',
      'line 4, month',
      'line 5, month',
      'line 6, first_day',
      'line 7, last_day',
      'line 8, last_day',
      'line 9, cost_usd',
      'line 10, cost_usd',
      'line 11, month',
      'line 12',
    ]);
    assert.equal((await organization.get(path)).body.data[0].imported, null);
    const refusedAt = async (text: string) => {
      const { status, body } = await organization.send('POST', `${path}/import`, { csv: text });
      assert.equal(status, 400);
      return body.errors.map((error: { path: string }) => error.path);
    };
    assert.deepEqual(await refusedAt(focus.replace('I-1,EC2', 'I-1,EC2,more')), ['line 2']);
    assert.deepEqual(await refusedAt(focus.replace('9,USD,I-1', '9,EUR,I-1')), ['line 2, BillingCurrency']);
    assert.deepEqual(await refusedAt(focus.replace('i-9', 'i-1').replace('EUR', 'USD')), [
      'line 6, ChargePeriodStart',
    ]);
    const unclear = 'ChargePeriodStart,ChargePeriodEnd,BilledCost,ResourceId\n02/01/2026,02/02/2026,3,i-1\n';
    assert.deepEqual(await refusedAt(unclear), ['line 2, ChargePeriodStart']);
    assert.deepEqual(await refusedAt('pool,month,cost_usd\nMacs,2026-01,-1\n'), ['Macs on 2026-01-01']);
    assert.deepEqual(await refusedAt('name,cost\nMacs,1\n'), ['line 1']);
    assert.deepEqual(await refusedAt('pool,month,cost_usd,Cost_USD\nMacs,2026-01,1,2\n'), ['line 1']);
  });

  test('are imported by admins only, into their own organization', async () => {
    const organization = await organizationWithPools();
    const member = await organization.newToken('member');
    const body = { csv: 'pool,month,cost_usd\nMacs,2026-01,1\n' };
    assert.equal((await organization.send('POST', `${path}/import`, body, member)).status, 403);
    assertProblem(await organization.send('POST', `${path}/import`, body, 'wrong'), 401, 'invalid_token');
    const other = await testApp.newOrganization();
    assertProblem(await other.send('POST', `${path}/import`, body), 400, 'invalid_request', ['line 2, pool']);
    assertProblem(await organization.send('POST', `${path}/import`, {}), 400, 'invalid_request', [
      'body.csv',
    ]);
  });
});

test('amounts that are large together are refused for a day, and added up over days', async () => {
  const organization = await organizationWithPools();
  const heading = 'pool,first_day,cost_usd\n';
  const twice = heading + 'Macs,2026-05-01,60000000\n'.repeat(2);
  assertProblem(await organization.send('POST', `${path}/import`, { csv: twice }), 400, 'invalid_request', [
    'Macs on 2026-05-01',
  ]);
  const days = daysOf(windowBetween('2026-01-01', '2026-06-30'));
  await importInto(organization, heading + days.map((day) => `Macs,${day},100000000\n`).join(''));
  const [macs] = (await organization.get(path)).body.data;
  assert.equal(macs.imported.cost, days.length * 100_000_000);
});

test('times of a FOCUS file without a zone are in UTC', async (t) => {
  const zone = process.env['TZ'];
  t.after(() => {
    if (zone === undefined) delete process.env['TZ'];
    else process.env['TZ'] = zone;
  });
  process.env['TZ'] = 'Asia/Tokyo';
  const { days } = await readPoolFile(
    'ChargePeriodStart,ChargePeriodEnd,BilledCost,ResourceId\n2026-02-01 00:00:00.000,2026-02-02T00:00:00,3,i-1\n',
    [{ id: 'pool_1', name: 'Macs', resourceIds: ['i-1'] }],
  );
  assert.deepEqual(days, [{ poolId: 'pool_1', day: '2026-02-01', costNanos: 3_000_000_000n }]);
});

test('a large file is read in turns, and is refused early if it names too much', async () => {
  const pools = [{ id: 'pool_1', name: 'Macs', resourceIds: [] }];
  const heading = 'pool,first_day,last_day,cost_usd\n';
  const years = (lines: number) => 'Macs,2026-01-01,2026-12-31,3.65\r\n'.repeat(lines);
  let turns = 0;
  const count = setInterval(() => turns++, 0);
  const { lines, days } = await readPoolFile(heading + years(20_000), pools);
  clearInterval(count);
  assert.ok(turns > 3, `${turns} turns`);
  assert.deepEqual([lines, days.length, days[0]!.costNanos], [20_000, 365, 200_000_000_000n]);
  const refused = (text: string, fault: RegExp) => assert.rejects(readPoolFile(heading + text, pools), fault);
  const windows = daysOf(windowBetween('2025-01-01', '2025-12-31')).map(
    (day) => `Macs,${day},2025-12-31,1\nMacs,2025-01-01,${day},1\n`,
  );
  await refused(windows.join(''), /more than 100,000 days of pools/);
  await refused(years(1).replace('Macs', `"${'a'.repeat(70_000)}`), /line 2 is too long/);
  await refused('x,1\n'.repeat(50_000), /line 2 has 2 cells.*more faults/);
});

test('a file of any text is read or refused', async () => {
  const pools = [{ id: 'pool_1', name: 'Macs', resourceIds: [] }];
  const cell = fc.oneof(
    fc.string(),
    fc.constantFrom('Macs', '2026-01', '2026-01-31', '1.5', '-1', '9e99', ''),
  );
  const line = fc.array(cell, { maxLength: 5 }).map((cells) => cells.join(','));
  const heading = fc.constantFrom('pool,month,cost_usd', focus.split('\n')[0]!, 'pool;first_day;cost_usd');
  await fc.assert(
    fc.asyncProperty(heading, fc.array(line, { maxLength: 5 }), async (first, lines) => {
      try {
        await readPoolFile([first, ...lines].join('\n'), pools);
      } catch (error) {
        assert.ok(error instanceof PublicError, String(error));
      }
    }),
  );
});
