import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newAlert } from '../../../test/harness/alerts.ts';
import { request, startTestApp, type TestApp } from '../../../test/harness/app.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { newSource } from '../../../test/harness/source.ts';
import { newRun } from '../../../test/harness/submission.ts';
import { insertDeliveries, newWebhook } from '../../../test/harness/webhooks.ts';
import { gitHubRun } from '../../../test/payloads/gitHub.ts';
import { buildHealthServer, buildServer } from '../../server.ts';
import { setHold } from '../db/installation.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { createScrape } from '../telemetry/scrape.ts';

const secret = 'a-token-of-prometheus';
const testApp = await startTestApp({ METRICS_TOKEN: secret, TRUSTED_PROXIES: '127.0.0.1' });
const { app, server, clock } = testApp;
clock.set('2026-11-20T12:00:00Z'); // Not before the events of the factories.

const ask = (token?: string, of: TestApp['server'] = server) =>
  request(of, {
    method: 'GET',
    url: '/metrics',
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  });

/** The value of a series, or undefined if there is none. */
async function valueOf(series: string): Promise<number | undefined> {
  // Older than the values of the last scrape.
  clock.forward(6);
  const { text } = await ask(secret);
  const line = text.split('\n').find((each) => each.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.split(' ').at(-1));
}

describe('/metrics', () => {
  test('answers 200 to METRICS_TOKEN, 401 to anybody else, and 404 while there is none', async () => {
    const { token } = await testApp.newOrganization();
    const answer = await ask(secret);
    assert.equal(answer.status, 200);
    assert.match(String(answer.headers['content-type']), /^text\/plain; version=0\.0\.4/);
    assert.match(answer.text, /^runcost_database_up 1$/m);
    assert.match(answer.text, /^nodejs_eventloop_lag_p99_seconds /m);
    for (const other of [undefined, token, `${secret}x`])
      assertProblem(await ask(other), 401, 'invalid_token');
    const without = await buildServer({ ...app, config: { ...app.config, metricsToken: null } });
    assertProblem(await ask(secret, without), 404, 'metrics_off');
    await without.close();
    const worker = await buildHealthServer(app);
    assert.equal((await ask(secret, worker)).status, 200);
    await worker.close();
  });

  test('counts events and refused events by source', async () => {
    const organization = await testApp.newOrganization();
    const source = await newSource(testApp, organization);
    const labels = `provider="github",source="${source.id}"`;
    const refused = (reason: string) =>
      valueOf(`runcost_rejected_events_total{${labels},reason="${reason}"}`);
    const first = await source.deliver('workflow_run', gitHubRun());
    assert.equal(first.status, 202, first.text);
    assert.equal((await source.deliver('ping', {})).status, 202);
    const forged = { method: 'POST', url: `/api/v1/ingest/${source.id}`, payload: {} } as const;
    const { status, body } = await request(server, forged);
    assert.equal(status, 401);
    assert.equal(await valueOf(`runcost_events_total{${labels}}`), 2);
    assert.equal(await refused(body.code), 1);
    // What strangers send must not become labels.
    const unknown = `/api/v1/ingest/${source.id.slice(0, -1)}x`;
    assert.equal((await request(server, { ...forged, url: unknown })).status, 404);
    assert.equal(
      await valueOf(
        'runcost_rejected_events_total{provider="unknown",source="unknown",reason="source_not_found"}',
      ),
      1,
    );
    const seconds = (await valueOf(`runcost_source_last_event_timestamp_seconds{${labels}}`))!;
    assert.ok(Math.abs(clock.now().getTime() / 1_000 - seconds) < 60, String(seconds));
  });

  test('counts submitted runs, and times each commit', async () => {
    const organization = await testApp.newOrganization();
    const api = 'provider="generic",source="api"';
    const count = 'runcost_ingest_commit_duration_seconds_count';
    const [events, commits] = [await valueOf(`runcost_events_total{${api}}`), await valueOf(count)];
    const runs = [newRun({ run_id: '1' }), newRun({ run_id: '2' }), { run_id: '3' }];
    const { status } = await organization.send('POST', '/api/v1/runs', { runs });
    assert.equal(status, 207);
    assert.equal(await valueOf(`runcost_events_total{${api}}`), (events ?? 0) + 2);
    assert.equal(await valueOf(`runcost_rejected_events_total{${api},reason="invalid_request"}`), 1);
    assert.equal(await valueOf(count), commits! + 1);
    assert.equal(await valueOf('runcost_rollup_lag_seconds'), 0);
  });

  test('shows how late deliveries and checks of alerts are, until they are done', async () => {
    const organization = await testApp.newOrganization();
    const { id } = await newWebhook(organization);
    await newAlert(organization);
    await insertDeliveries(testApp, organization, id, [{ dueAt: clock.now() }]);
    clock.forward(2 * 86_400);
    const late = (await valueOf('runcost_oldest_due_delivery_seconds'))!;
    assert.equal(late, 2 * 86_400 + 6);
    assert.ok((await valueOf('runcost_alert_check_lag_seconds'))! > 3_600);
    assert.equal((await organization.send('DELETE', `/api/v1/webhooks/${id}`)).status, 200);
    await testApp.worker.processAll();
    assert.equal(await valueOf('runcost_oldest_due_delivery_seconds'), 0);
    assert.equal(await valueOf('runcost_alert_check_lag_seconds'), 0);
  });

  test('shows why the installation is on hold', async () => {
    const shown = () => valueOf('runcost_hold{reason="copied"}');
    assert.equal(await shown(), 0);
    await setHold(app.db, { reason: 'copied', detail: null, since: clock.now() });
    assert.equal(await shown(), 1);
    await setHold(app.db, null);
    assert.equal(await shown(), 0);
  });

  test('shows sizes, waits for connections and requests by route', async () => {
    assert.ok((await valueOf('runcost_database_size_bytes'))! > 1e6);
    assert.ok((await valueOf('runcost_wal_size_bytes'))! > 1e6);
    assert.equal(await valueOf('runcost_disk_free_bytes'), undefined);
    assert.ok((await valueOf('runcost_pool_wait_seconds_count{pool="requests"}'))! > 1);
    const { get } = await testApp.newOrganization();
    await get('/api/v1/runs/no-such-run');
    const labels = 'method="GET",route="/api/v1/runs/:id",status="404"';
    assert.equal(await valueOf(`runcost_http_request_duration_seconds_count{${labels}}`), 1);
  });

  test('reads the database once in five seconds, and goes on without it', async (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] });
    const metrics = createMetrics();
    const reads: (() => Promise<void>)[] = [
      async () => metrics.fromDatabase.walBytes.set(16),
      () => Promise.reject(new Error('away')),
      () => new Promise(() => {}),
    ];
    let count = 0;
    const scrape = createScrape({ metrics, clock, log: app.log, readDatabase: () => reads[count++]!() });
    const shown = async () => (await scrape()).match(/^runcost_(database_up|wal_size_bytes) \d+$/gm);
    assert.deepEqual(await shown(), ['runcost_database_up 1', 'runcost_wal_size_bytes 16']);
    clock.forward(4);
    await shown();
    assert.equal(count, 1);
    clock.forward(2);
    assert.deepEqual(await shown(), ['runcost_database_up 0']);
    const late = shown();
    context.mock.timers.tick(4_000);
    assert.deepEqual(await late, ['runcost_database_up 0']);
    assert.equal(count, 3);
  });
});

test('the line of a request says whose it is, by which token and from where', async () => {
  const organization = await testApp.newOrganization();
  const { token, orgId } = organization;
  const headers = { authorization: `Bearer ${token}`, 'x-forwarded-for': '203.0.113.7' };
  const { body } = await organization.get('/api/v1/tokens');
  const line = async (options: Parameters<typeof request>[1]) => {
    const answer = await request(server, options);
    const lines = testApp.logged().split('\n');
    return JSON.parse(lines.find((each) => each.includes(String(answer.headers['x-request-id'])))!);
  };
  const logged = await line({ method: 'GET', url: '/api/v1/members', headers });
  const { organization: logOrg, token: tokenId, peer } = logged;
  assert.deepEqual([logOrg, tokenId, peer], [orgId, body.data[0].id, '203.0.113.7']);
  assert.equal(typeof logged.reqId, 'string');
  const { id } = await newSource(testApp, organization);
  const event = await line({ method: 'POST', url: `/api/v1/ingest/${id}`, payload: {} });
  assert.deepEqual([event.organization, event.token, event.peer], [orgId, undefined, '127.0.0.1']);
  const unknown = await line({ method: 'GET', url: '/api/v1/members' });
  assert.deepEqual([unknown.organization, unknown.peer], [undefined, '127.0.0.1']);
  assert.ok(!testApp.logged().includes(token));
});
