/** The files in `ops/`, tried with Prometheus. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { alertNames, ops, panels, read, rulesText, seriesIn } from './harness/opsFiles.ts';
import { newDataDir, serveHere } from './harness/program.ts';
import { newFolder, removeFolder } from './harness/storage.ts';
import { newRun } from './harness/submission.ts';
import { openWebhookReceiver } from './harness/webhookReceiver.ts';
import { signGitHub } from './payloads/gitHub.ts';
import { findProgram, needs } from './server/installed.ts';

const prometheus = findProgram('prometheus');
const checker = findProgram('promtool');
const installed = needs(prometheus && checker, 'Prometheus', 'prometheus');

/** Series that make each alert fire: one for each rule, in the order of the rules. */
const troubles: [series: string, values: string][] = [
  ['up{job="runcost", instance="a"}', '0x60'],
  ['runcost_database_up{job="runcost"}', '0x60'],
  ['runcost_oldest_due_delivery_seconds{job="runcost"}', '901x60'],
  ['runcost_alert_check_lag_seconds{job="runcost"}', '901x60'],
  [
    'runcost_source_last_event_timestamp_seconds{job="runcost", provider="github", source="src_1"}',
    '-90000x60',
  ],
  ['runcost_rejected_events_total{job="runcost", provider="github", reason="signature_invalid"}', '0+1x60'],
  ['runcost_rollup_lag_seconds{job="runcost"}', '31x60'],
  ['runcost_pool_wait_seconds_bucket{job="runcost", pool="requests", le="5"}', '0+60x60'],
  ['nodejs_eventloop_lag_p99_seconds{job="runcost"}', '2x60'],
  ['runcost_disk_free_bytes{job="runcost"}', '9x60'],
  ['runcost_background_failures_total{job="runcost", work="deliver"}', '0+1x60'],
  ['runcost_task_failures_total{job="runcost", task="export"}', '0+1x60'],
  ['runcost_hold{job="runcost", reason="copied"}', '1x60'],
];
/** The metrics that these expressions compare them with. */
const surroundings: [series: string, values: string][] = [
  ['runcost_events_total{job="runcost", provider="github"}', '0+2x60'],
  ['runcost_pool_wait_seconds_bucket{job="runcost", pool="requests", le="1"}', '0+10x60'],
  ['runcost_pool_wait_seconds_bucket{job="runcost", pool="requests", le="+Inf"}', '0+60x60'],
  ['runcost_disk_size_bytes{job="runcost"}', '100x60'],
];

function rulesTest(series: [string, string][], firing: string[]): string {
  const expected = firing.toSorted().map((name) => ({ labels: `{alertname="${name}"}`, value: 1 }));
  const expr = 'count by (alertname) (ALERTS{alertstate="firing"})';
  // JSON is also YAML.
  return JSON.stringify({
    rule_files: ['prometheus-alerts.yml'],
    evaluation_interval: '1m',
    tests: [
      {
        interval: '1m',
        input_series: series.map(([name, values]) => ({ series: name, values })),
        promql_expr_test: [{ expr, eval_time: '40m', exp_samples: expected }],
      },
    ],
  });
}

const folder = newFolder();
after(() => removeFolder(folder));
for (const file of ['prometheus-alerts.yml', 'prometheus.yml']) cpSync(join(ops, file), join(folder, file));
const promtool = (...args: string[]) =>
  execFileSync(checker ?? 'missing', args, { cwd: folder, encoding: 'utf8' });

test('promtool accepts the rules, and each fires for its trouble alone', installed, () => {
  assert.match(promtool('check', 'rules', 'prometheus-alerts.yml'), /SUCCESS: 13 rules found/);
  assert.equal(troubles.length, alertNames.length);
  const healthy = troubles.map(([series]): [string, string] => [
    series,
    /^(up|.*_up)\{/.test(series) ? '1x60' : '_x60',
  ]);
  writeFileSync(join(folder, 'none.json'), rulesTest([...healthy, ...surroundings], []));
  promtool('test', 'rules', 'none.json');
  for (const [index, trouble] of troubles.entries()) {
    const series = [trouble, ...surroundings.filter(([name]) => name !== trouble[0])];
    writeFileSync(join(folder, 'one.json'), rulesTest(series, [alertNames[index]!]));
    promtool('test', 'rules', 'one.json');
  }
});

test('Prometheus scrapes a server, and every expression has data', installed, async () => {
  const token = 'token-of-prometheus';
  const runcost = await serveHere({ DATA_DIR: newDataDir() }, { METRICS_TOKEN: token });
  await beBusy(runcost.address, runcost.ownerToken!);
  writeFileSync(join(folder, 'metrics-token'), token);
  const config = read('ops/prometheus.yml')
    .replace('127.0.0.1:8080', new URL(runcost.address).host)
    .replace('15s', '1s');
  writeFileSync(join(folder, 'prometheus.yml'), config);
  const query = await startPrometheus();
  // A rate needs several scrapes.
  while (Number((await query('min(count_over_time(runcost_database_up[5m]))'))[0]?.value[1] ?? 0) < 3)
    await delay(100);
  const empty: string[] = [];
  const series = seriesIn([rulesText, ...panels.map(({ expr }) => expr)].join('\n'));
  for (const each of series) if ((await query(`count(${each})`)).length === 0) empty.push(each);
  for (const { title, expr } of panels) {
    const filled = expr.replaceAll('$__rate_interval', '5m').replaceAll('$instance', '.*');
    const found = await query(filled);
    // The graph of failures shows only those above 0.
    if (found.length === 0 && title !== 'Failures') empty.push(`${title}: ${filled}`);
  }
  assert.deepEqual(empty, []);
  assert.deepEqual(await query('ALERTS{alertstate="firing"}'), []);
  const [database] = await query('runcost_database_up');
  assert.equal(database!.value[1], '1');
});

/** Gives every metric of ours a value. */
async function beBusy(address: string, token: string): Promise<void> {
  const ask = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${address}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    return { status: answer.status, body: (await answer.json()) as { data: { id: string; secret: string } } };
  };
  const day = new Date(Date.now() - 3_600_000).toISOString();
  const run = newRun({ run_id: '1', created_at: day, started_at: day, completed_at: day, jobs: [] });
  assert.equal((await ask('/api/v1/runs', { runs: [run] })).status, 200);
  const { id, secret } = (await ask('/api/v1/sources', { kind: 'github' })).body.data;
  const ping = '{}';
  const signed = { 'x-github-event': 'ping', 'x-hub-signature-256': signGitHub(ping, secret) };
  assert.equal((await ask(`/api/v1/ingest/${id}`, ping, signed)).status, 202);
  assert.equal((await ask(`/api/v1/ingest/${id}`, ping)).status, 401);
  const receiver = await openWebhookReceiver();
  const webhook = await ask('/api/v1/webhooks', { url: receiver.url, events: ['workflow.completed'] });
  assert.equal((await ask(`/api/v1/webhooks/${webhook.body.data.id}/ping`, '{}')).status, 202);
  await receiver.taken(1);
}

type Query = (expr: string) => Promise<{ metric: Record<string, string>; value: [number, string] }[]>;

async function startPrometheus(): Promise<Query> {
  const child = spawn(
    prometheus ?? 'missing',
    [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'tsdb')}`,
      '--web.listen-address=127.0.0.1:0',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  after(async () => {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  });
  const lines: string[] = [];
  const address = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stderr }).on('line', (line) => {
      lines.push(line);
      const [, found] = /msg="?Listening on"? address=(\S+)/.exec(line) ?? [];
      if (found) resolve(found);
    });
    child.once('exit', () => reject(new Error(lines.join('\n'))));
  });
  return async (expr) => {
    const answer = await fetch(`http://${address}/api/v1/query?query=${encodeURIComponent(expr)}`);
    // While it starts, Prometheus answers no queries.
    if (answer.status === 503) return [];
    const body = (await answer.json()) as { status: string; error?: string; data: { result: never } };
    assert.equal(body.status, 'success', `${expr}: ${body.error}`);
    return body.data.result;
  };
}
