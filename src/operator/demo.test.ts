import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startTestApp, type TestOrganization } from '../../test/harness/app.ts';
import { newStorage, runCommand, serveHere } from '../../test/harness/program.ts';
import { importDemoBill } from '../demo/bill.ts';
import { demoHistory } from '../demo/history.ts';
import { loadDemo, recordAll } from '../demo/load.ts';
import { updatePricing } from '../ledger/pricing/settings.ts';
import { cliActor } from '../platform/lib/actor.ts';

const size = { days: 60, runs: 700, seed: 7 };

describe('loading a history', async () => {
  const { app, clock, newOrganization } = await startTestApp();

  async function load(organization: TestOrganization, maxBatches = Infinity) {
    let batches = 0;
    const record = async (reports: Parameters<typeof app.recorder.record>[1]) => {
      await app.recorder.record(organization.orgId, reports);
      batches++;
    };
    const history = demoHistory({ ...size, now: clock.now() });
    return recordAll(record, history, { report: () => {}, isStopped: () => batches >= maxBatches });
  }

  const organization = await newOrganization();

  test('the dashboard shows all its runs', async () => {
    clock.set('2026-03-18T09:12:00Z');
    assert.equal((await load(organization)).runs, size.runs);
    const { trends, unpriced } = await totalsOf(organization);
    assert.equal(sumOf(trends, 'runs'), size.runs);
    assert.ok(sumOf(trends, 'cost') > 100);
    assert.ok(unpriced.length > 0);
  });

  test('loading it again, later that day or at once, changes no total', async () => {
    const before = await totalsOf(organization);
    for (const time of ['09:12', '22:40']) {
      clock.set(`2026-03-18T${time}:00Z`);
      await load(organization);
      assert.deepEqual(await totalsOf(organization), before, time);
    }
  });

  test('a stopped load keeps its runs and can be completed', async () => {
    const stopped = await newOrganization();
    assert.equal((await load(stopped, 1)).runs, 500);
    assert.equal(sumOf((await totalsOf(stopped)).trends, 'runs'), 500);
    await load(stopped);
    assert.deepEqual(await totalsOf(stopped), await totalsOf(organization));
  });

  test('an organization without bill reports gets a bill, whose difference is known', async () => {
    const ctx = { ...app, actor: cliActor(organization.orgId) };
    await updatePricing(ctx, { included_minutes: { minutes: 1_000 } });
    assert.equal(await importDemoBill(app, ctx, () => []), 3);
    const { data, totals } = (await organization.get('/api/v1/bills/reconciliation', { by: 'month' })).body;
    assert.deepEqual(
      data.map(({ month }: { month: string }) => month),
      ['2026-01', '2026-02', '2026-03'],
    );
    const { included_minutes: included, missing_deliveries: lost, ...others } = totals.explained;
    assert.ok(included > 0);
    assert.equal(lost, -206.4);
    assert.deepEqual(new Set(Object.values(others)), new Set([0]));
    assert.deepEqual([totals.unexplained, totals.net_unexplained, totals.net_difference], [0, 0, -206.4]);
    assert.equal(await importDemoBill(app, ctx, () => []), 0);
    const reports = await organization.get('/api/v1/bills/reports');
    await organization.send('DELETE', `/api/v1/bills/reports/${reports.body.data[1].id}`);
    assert.equal(await importDemoBill(app, ctx, () => []), 1, 'as after a kill between two months');
  });

  test('the whole demo has own machines, storage, tokens of runs and an idle schedule, and a bill with them', async () => {
    clock.set('2026-03-18T22:40:00Z');
    const whole = await newOrganization();
    const ctx = { ...app, actor: cliActor(whole.orgId) };
    // So many runs a day that each nightly workflow runs.
    await loadDemo(app, ctx, { days: 24, runs: 1_300, seed: 3 });
    const ask = async (path: string, query: Record<string, string>) => {
      const { status, body, text } = await whole.get(`/api/v1/${path}`, query);
      assert.equal(status, 200, text);
      return body.data;
    };
    const valuesOf = async (query: Record<string, string>): Promise<Record<string, number>> => {
      const { groups } = await ask('costs', { from: '2026-03-01', to: '2026-03-17', ...query });
      return Object.fromEntries(
        groups.map(({ by, value }: { by: { name: string }[]; value: number }) => [by[0]!.name, value]),
      );
    };
    const full = await valuesOf({ metric: 'full_cost', group_by: 'repository' });
    assert.ok(full['idle of Build machines']! > 0 && full['idle of GPU machines']! > 0);
    assert.ok(
      full['nimbus-commerce/ml']! > (await valuesOf({ group_by: 'repository' }))['nimbus-commerce/ml']!,
    );
    const { items, days } = await ask('storage', {});
    assert.deepEqual(
      new Set(items.map(({ workflow }: { workflow: string | null }) => workflow)),
      new Set(['CI', 'UI tests', 'Installers', null]),
    );
    assert.equal(days.length, 10);
    assert.equal(days.at(-1).day, '2026-03-18');
    const products = await valuesOf({ group_by: 'product' });
    assert.deepEqual(Object.keys(products).toSorted(), ['ai_credits', 'compute', 'other', 'storage']);
    assert.equal(products['other'], 395.93548387, '38 seats at $19 a month of 31 days, for 17 days');
    const ofSeats = await valuesOf({ group_by: 'repository', product: 'other' });
    assert.deepEqual(Object.keys(ofSeats), ['none']);
    const { fixes } = await ask('waste/fixes', { category: 'idle_schedule' });
    assert.deepEqual(
      fixes.map(({ workflow }: { workflow: string }) => workflow),
      ['Nightly'],
    );
    const before = await valuesOf({ group_by: 'product' });
    await loadDemo(app, ctx, { days: 24, runs: 1_300, seed: 3 });
    assert.deepEqual(await valuesOf({ group_by: 'product' }), before, 'again on the same day');
  });
});

describe('the command', () => {
  const settings = newStorage();
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await runCommand(args, await settings);
    assert.equal(code, 0, stderr);
    return { stdout, stderr };
  };
  const organizations = async () => JSON.parse((await run('org', 'list', '--json')).stdout) as Listed[];

  test('makes an organization of its own, prints its sign-in link, and leaves others as they are', async () => {
    const { org_id: mine } = JSON.parse((await run('org', 'create', '--name', 'Acme', '--json')).stdout);
    const server = await serveHere(await settings);
    const { stdout, stderr } = await run('demo', '--days', '10', '--runs', '40');
    assert.match(stdout, /^Loaded 40 runs with \d+ jobs in [\d.]+ s, [\d,]+ runs\/s\.\n/);
    assert.match(stdout, /cost \$\d+\.\d\d in this organization in the last 10 days\.\n/);
    assert.match(stderr, /Imported a bill of [12] months? to compare with\./);
    const demo = (await organizations()).find(({ name }) => name === 'Demo');
    assert.ok(stderr.includes(`export ORG=${demo!.org_id}\n`), stderr);
    assert.match(stderr, /token create --name me --role owner --org \$ORG\)/);
    assert.match(stderr, /dashboard\/trends\?org_id=\$ORG&days=10/);
    assert.equal(JSON.parse((await run('costs', '--json')).stdout).total.value, 0, 'without --org: Acme');
    const books = JSON.parse((await run('price', 'books', '--org', demo!.org_id, '--json')).stdout);
    assert.equal(books.find((book: { is_chosen: boolean }) => book.is_chosen).id, 'github_by_date');
    await run('demo', '--days', '10', '--runs', '40');
    const ids = (await organizations()).map(({ org_id }) => org_id);
    assert.deepEqual(new Set(ids), new Set([mine, demo!.org_id]));
    assert.equal(ids.length, 2);

    const [, code] = /\/sign-in#code=(\S+)\n/.exec(stdout)!;
    const signedIn = await fetch(`${server.address}/api/v1/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: server.address },
      body: JSON.stringify({ code }),
    });
    const { data } = (await signedIn.json()) as { data: { organization: { name: string } } };
    assert.equal(data.organization.name, 'Demo');
  });

  test('--remove deletes the demo only', async () => {
    assert.match((await run('demo', '--remove')).stderr, /^Deleted the demo \([0-9a-f-]{36}\)\.\n$/);
    assert.deepEqual(
      (await organizations()).map(({ name }) => name),
      ['Acme'],
    );
    assert.equal((await run('demo', '--remove')).stderr, 'There is no demo.\n');
  });

  test('a first start after the demo makes an organization for you', async () => {
    const empty = await newStorage();
    assert.equal((await runCommand(['demo', '--days', '3', '--runs', '5'], empty)).code, 0);
    const server = await serveHere(empty);
    assert.match(server.printed(), /^Organization {2}[0-9a-f-]{36}$/m);
    const { stdout } = await runCommand(['org', 'list', '--json'], empty);
    assert.deepEqual(
      (JSON.parse(stdout) as Listed[]).map(({ name }) => name),
      ['Demo', 'My organization'],
    );
  });

  test('names the option with a bad value', async () => {
    const bad = { '--days': '366', '--runs': '1000001', '--seed': '1e3' };
    for (const [option, value] of Object.entries(bad)) {
      const { code, stderr } = await runCommand(['demo', option, value], {});
      assert.equal(code, 2);
      assert.match(stderr, new RegExp(`'${option} <.*must be a whole number from`));
    }
  });
});

type Listed = { org_id: string; name: string };

type Trend = { date: string; cost: number; runs: number };

async function totalsOf(organization: TestOrganization) {
  const trends = await organization.get('/api/v1/dashboard/trends', { days: 90 });
  const workflows = await organization.get('/api/v1/dashboard/workflows', { days: 90 });
  const unpriced = await organization.get('/api/v1/pricing/unpriced');
  for (const { status, text } of [trends, workflows, unpriced]) assert.equal(status, 200, text);
  return {
    trends: trends.body.data as Trend[],
    workflows: workflows.body.workflows.map(
      ({ last_run_at: _, ...totals }: { last_run_at: string }) => totals,
    ),
    unpriced: unpriced.body.data as unknown[],
  };
}

function sumOf(trends: Trend[], field: 'cost' | 'runs'): number {
  return trends.reduce((sum, day) => sum + day[field], 0);
}
