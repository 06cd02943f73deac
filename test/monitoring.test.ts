/** The files in `ops/` and the reference of metrics, compared with the program. */
import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { test } from 'node:test';
import { readOtlpProtobuf } from '../src/intake/providers/otlp/protobuf.ts';
import { holdReasons } from '../src/platform/db/tables.ts';
import { createMetrics, watchProcess } from '../src/platform/telemetry/metrics.ts';
import { alertNames, panels, read, rulesText, seriesIn } from './harness/opsFiles.ts';
import { newStorage, ownerOf, serveHere } from './harness/program.ts';
import { newRun } from './harness/submission.ts';
import { openWebhookReceiver } from './harness/webhookReceiver.ts';

const metrics = createMetrics();
watchProcess(metrics);
const known = new Map(metrics.registry.getMetricsAsArray().map((metric) => [metric.name, metric]));

const metricOf = (series: string) =>
  known.get(series) ?? known.get(series.replace(/_(bucket|count|sum)$/, ''));

test('the dashboard and the alert rules name only metrics that the program has', () => {
  const series = seriesIn([rulesText, ...panels.map(({ expr }) => expr)].join('\n'));
  assert.ok(series.length > 25, series.join());
  assert.deepEqual(
    series.filter((each) => !metricOf(each)),
    [],
  );
  assert.equal(alertNames.length, 13);
});

test('every metric of ours is on the dashboard or in a rule', () => {
  const shown = new Set(
    seriesIn([rulesText, ...panels.map(({ expr }) => expr)].join('\n')).map((each) => metricOf(each)?.name),
  );
  const ours = [...known.keys()].filter((name) => name.startsWith('runcost_'));
  assert.deepEqual(
    ours.filter((name) => !shown.has(name)),
    [],
  );
});

test('the reference of metrics has each with its labels, and no other', () => {
  const rows = [...read('docs/reference/metrics.md').matchAll(/^\| `(runcost_\w+)` +\| ([^|]*?) +\|/gm)];
  const listed = rows.map(([, name, labels]) => `${name} ${labels!.replaceAll(/[`,]/g, '')}`.trim());
  const ours = [...known.values()].filter(({ name }) => name.startsWith('runcost_'));
  const expected = ours.map((metric) => {
    const { labelNames = [] } = metric as unknown as { labelNames?: string[] };
    return [metric.name, ...labelNames].join(' ');
  });
  assert.deepEqual(listed.toSorted(), expected.toSorted());
});

test('the reference of metrics has each reason of a refused event, and each of a hold', () => {
  const page = read('docs/reference/metrics.md');
  const wordsIn = (text: string) => [...text.matchAll(/`([a-z_]+)`/g)].map(([, word]) => word!);
  const table = /### Reasons of refused events([^]*?)\n##/.exec(page)![1]!;
  const documented = [...table.matchAll(/^\| (`[^|]*) \|/gm)].flatMap(([, cell]) => wordsIn(cell!));
  const sources = globSync('src/intake/{reception,providers}/**/*.ts', { exclude: ['**/*.test.ts'] });
  const given = sources.flatMap((file) =>
    [...read(file).matchAll(/PublicError\(\s*'\w+',\s*'(\w+)'|reason: '(\w+)'/g)].map(
      ([, code, reason]) => code ?? reason!,
    ),
  );
  const ofFramework = ['source_not_found', 'body_too_large', 'unsupported_media_type'];
  assert.deepEqual([...new Set(documented)].toSorted(), [...new Set([...given, ...ofFramework])].toSorted());
  const hold = /^\| `runcost_hold` .*$/m.exec(page)![0];
  assert.deepEqual(wordsIn(hold).slice(2).toSorted(), [...holdReasons].toSorted());
});

test('the guide says what to do about every alert', () => {
  const guide = read('docs/how-to/monitor.md');
  const listed = [...guide.matchAll(/^\| `(Runcost\w+)`/gm)].map(([, name]) => name);
  assert.deepEqual(listed, alertNames);
});

test('traces go to the collector: requests below the caller, commits below their request, deliveries', async () => {
  const collector = await openWebhookReceiver();
  collector.answer = 200;
  const { origin } = new URL(collector.url);
  const runcost = await serveHere(await newStorage(), {
    OTEL_EXPORTER_OTLP_ENDPOINT: origin,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-key=k1',
    OTEL_SERVICE_NAME: 'costs-of-ci',
    OTEL_BSP_SCHEDULE_DELAY: '50',
  });
  const { token } = ownerOf(runcost);
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  const day = new Date(Date.now() - 3_600_000).toISOString();
  const run = newRun({ run_id: '1', created_at: day, started_at: day, completed_at: day, jobs: [] });
  const answer = await fetch(`${runcost.address}/api/v1/runs`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      traceparent: `00-${traceId}-00f067aa0ba902b7-01`,
    },
    body: JSON.stringify({ runs: [run] }),
  });
  assert.equal(answer.status, 200, await answer.text());
  await fetch(`${runcost.address}/api/v1/members?q=hidden`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const receiver = await openWebhookReceiver();
  const send = (path: string, body: object) =>
    fetch(`${runcost.address}/api/v1/webhooks${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }).then((created) => created.json() as Promise<{ data: { id: string } }>);
  const hook = await send('', { url: `${receiver.url}?key=hidden`, events: ['workflow.completed'] });
  await send(`/${hook.data.id}/ping`, {});
  await receiver.taken(1);
  // Stopping sends what is left.
  await runcost.stop();
  const spans = collector.received
    .flatMap(({ body }) => readOtlpProtobuf(body))
    .flatMap((each) => each.spans);
  const named = (name: string) => spans.find((span) => span.name === name)!;
  const posted = named('POST /api/v1/runs');
  assert.deepEqual([posted.traceId, posted.parentSpanId], [traceId, '00f067aa0ba902b7']);
  const recorded = named('record reports');
  assert.deepEqual([recorded.traceId, recorded.parentSpanId], [traceId, posted.spanId]);
  assert.notEqual(named('GET /api/v1/members').traceId, traceId);
  assert.equal(named('deliver webhook').parentSpanId, '');
  const sent = Buffer.concat(collector.received.map(({ body }) => body)).toString('latin1');
  assert.ok(sent.includes('costs-of-ci'));
  for (const secret of [token, 'hidden']) assert.ok(!sent.includes(secret), secret);
  assert.ok(collector.received.every(({ headers }) => headers['x-collector-key'] === 'k1'));
});
