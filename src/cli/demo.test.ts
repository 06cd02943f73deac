import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startTestApp, type TestOrganization } from '../../test/harness/app.ts';
import { newStorage, ownerOf, runCommand, serveHere } from '../../test/harness/program.ts';
import { updatePricing } from '../ledger/pricing/settings.ts';
import { cliActor } from '../platform/lib/actor.ts';
import { recordAll } from './demo.ts';
import { importDemoBill } from './demoBill.ts';
import { demoHistory } from './demoHistory.ts';

const silent = { report: () => {}, end: () => {} };
const size = { days: 60, runs: 1_200, seed: 7 };

describe('loading a history', async () => {
  const { app, clock, newOrganization } = await startTestApp();

  async function load(organization: TestOrganization, maxBatches = Infinity) {
    let batches = 0;
    const record = async (reports: Parameters<typeof app.recorder.record>[1]) => {
      await app.recorder.record(organization.orgId, reports);
      batches++;
    };
    const history = demoHistory({ ...size, now: clock.now() });
    return recordAll(record, history, silent, () => batches >= maxBatches);
  }

  test('the dashboard shows all its runs', async () => {
    const organization = await newOrganization();
    const loaded = await load(organization);
    assert.equal(loaded.runs, size.runs);
    const { trends, unpriced } = await totalsOf(organization);
    assert.equal(sumOf(trends, 'runs'), size.runs);
    assert.ok(sumOf(trends, 'cost') > 100);
    assert.ok(unpriced.length > 0);
  });

  test('an organization without bill reports gets a bill, whose difference is known', async () => {
    const organization = await newOrganization();
    await load(organization);
    const ctx = { ...app, actor: cliActor(organization.orgId) };
    await updatePricing(ctx, { included_minutes: { minutes: 1_000 } });
    assert.equal(await importDemoBill(app, ctx), 3);
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
    assert.equal(await importDemoBill(app, ctx), 0);
  });

  test('loading it again, later that day or at once, changes no total', async () => {
    const organization = await newOrganization();
    clock.set('2026-03-18T09:12:00Z');
    await load(organization);
    const before = await totalsOf(organization);
    await load(organization);
    assert.deepEqual(await totalsOf(organization), before);
    clock.set('2026-03-18T22:40:00Z');
    await load(organization);
    assert.deepEqual(await totalsOf(organization), before);
  });

  test('a stopped load keeps its runs and can be completed', async () => {
    const [stopped, whole] = [await newOrganization(), await newOrganization()];
    assert.equal((await load(stopped, 1)).runs, 500);
    assert.equal(sumOf((await totalsOf(stopped)).trends, 'runs'), 500);
    await load(stopped);
    await load(whole);
    assert.deepEqual(await totalsOf(stopped), await totalsOf(whole));
  });
});

describe('the command', () => {
  test('loads into the only organization and prints the result', async () => {
    const settings = await newStorage();
    await runCommand(['org', 'create', '--name', 'Acme'], settings);
    const { code, stdout, stderr } = await runCommand(['demo', '--days', '10', '--runs', '40'], settings);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^Loaded 40 runs with \d+ jobs in [\d.]+ s, [\d,]+ runs\/s\.\n/);
    assert.match(stdout, /cost \$\d+\.\d\d in this organization in the last 10 days\.\n$/);
    assert.match(stderr, /Imported a bill of [12] months? to compare with\./);
    assert.match(stderr, /export ORG=[0-9a-f-]{36}\n/);
    assert.match(stderr, /dashboard\/trends\?org_id=\$ORG&days=10/);
  });

  test('without an organization, creates the one that a first start would', async () => {
    const settings = await newStorage();
    const demo = await runCommand(['demo', '--days', '3', '--runs', '5'], settings);
    assert.equal(demo.code, 0, demo.stderr);
    const { stdout } = await runCommand(['org', 'list', '--json'], settings);
    assert.deepEqual(
      (JSON.parse(stdout) as { name: string }[]).map(({ name }) => name),
      ['My organization'],
    );
  });

  test('prices an empty organization by date, and keeps a price list that somebody chose', async () => {
    const settings = await newStorage();
    const demoOf = async (name: string, ...prepare: string[][]) => {
      const created = await runCommand(['org', 'create', '--name', name, '--json'], settings);
      const { org_id } = JSON.parse(created.stdout) as { org_id: string };
      const commands = [...prepare, ['demo', '--days', '3', '--runs', '5']];
      let printed = '';
      for (const command of commands) {
        const { code, stderr } = await runCommand([...command, '--org', org_id], settings);
        assert.equal(code, 0, stderr);
        printed = stderr;
      }
      const { stdout } = await runCommand(['price', 'books', '--org', org_id, '--json'], settings);
      const books = JSON.parse(stdout) as { id: string; name: string; is_chosen: boolean }[];
      const chosen = books.find(({ is_chosen }) => is_chosen)!;
      assert.ok(printed.includes(`Jobs are priced with ${chosen.name}.\n`), printed);
      return chosen.id;
    };
    assert.equal(await demoOf('Empty'), 'github_by_date');
    assert.equal(await demoOf('Chosen', ['price', 'choose', 'github_2025']), 'github_2025');
  });

  test('keeps the price list of an organization that has runs', async () => {
    const settings = await newStorage();
    const server = await serveHere(settings);
    const { orgId, token } = ownerOf(server);
    const run = { run_id: '1', workflow_name: 'CI', repo_name: 'acme/api', status: 'queued' };
    const recorded = await fetch(`${server.address}/api/v1/runs`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ runs: [{ ...run, created_at: new Date().toISOString() }] }),
    });
    assert.equal(recorded.status, 200);
    const { code, stderr } = await runCommand(['demo', '--days', '3', '--runs', '5'], settings);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /^Jobs are priced with GitHub's price list until 2025-12-31\.$/m);
    const { stdout } = await runCommand(['price', 'books', '--org', orgId, '--json'], settings);
    const [first] = JSON.parse(stdout) as { id: string; is_chosen: boolean }[];
    assert.deepEqual([first!.id, first!.is_chosen], ['github_2025', true]);
  });

  test('names the option with a bad value', async () => {
    const bad = { '--days': '366', '--runs': '1000001', '--seed': '1e3' };
    for (const [option, value] of Object.entries(bad)) {
      const { code, stderr } = await runCommand(['demo', option, value], {});
      assert.equal(code, 1);
      assert.match(stderr, new RegExp(`'${option} <.*must be a whole number from`));
    }
  });
});

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
