import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { request, startTestApp } from '../../../test/harness/app.ts';
import { emitEvents, subscribe } from '../../../test/harness/deliveries.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { openWebhookReceiver } from '../../../test/harness/webhookReceiver.ts';
import { createWebhook } from '../../../test/harness/webhooks.ts';
import { buildServer } from '../../server.ts';
import { createEgress } from './egress.ts';

const testApp = await startTestApp();
const { app, worker } = testApp;
const warning = /A request came through a proxy[^"]*/g;

describe('receivers on this machine', () => {
  test('are called until a request comes through a proxy', async () => {
    const organization = await testApp.newOrganization();
    const receiver = await openWebhookReceiver();
    const { id } = await subscribe(organization, receiver);
    await emitEvents(testApp, organization);
    await worker.processAll();
    assert.equal(receiver.received.length, 1);

    for (const _ of [1, 2]) {
      const headers = { 'x-forwarded-for': '203.0.113.7' };
      await request(testApp.server, { method: 'GET', url: '/healthz', headers });
    }
    assert.equal(testApp.logged().match(warning)?.length, 1, 'it is logged once');
    await emitEvents(testApp, organization);
    await worker.processAll();
    assert.equal(receiver.received.length, 1);
    const { deliveries } = (await organization.get(`/api/v1/webhooks/${id}/deliveries`)).body.data;
    assert.deepEqual(
      deliveries.map((delivery: { error_class: string | null }) => delivery.error_class),
      ['refused_url', null],
    );
    const refused = await createWebhook(organization, { url: receiver.url });
    assertProblem(refused, 400, 'invalid_request');
  });

  test('are called after that if EGRESS_ALLOWED_CIDRS covers them, and the log names the settings', async () => {
    const settings = { EGRESS_ALLOWED_CIDRS: '127.0.0.0/8', EGRESS_ALLOW_HTTP: 'true' };
    const allowing = await startTestApp(settings);
    const organization = await allowing.newOrganization();
    const receiver = await openWebhookReceiver();
    await subscribe(organization, receiver);
    await request(allowing.server, { method: 'GET', url: '/healthz', headers: { via: '1.1 proxy' } });
    await emitEvents(allowing, organization);
    await allowing.worker.processAll();
    assert.equal(receiver.received.length, 1);
    const [warningText] = allowing.logged().match(warning)!;
    assert.match(
      warningText,
      /reach this machine only if EGRESS_ALLOWED_CIDRS and EGRESS_ALLOW_HTTP allow it/,
    );
  });

  test('are not called over open connections either', async (context) => {
    const receiver = await openWebhookReceiver();
    const policy = { allowedCidrs: [], allowHttp: true, allowLoopback: true };
    const lookup = async () => [{ address: '127.0.0.1', family: 4 }];
    const egress = createEgress(policy, { lookup });
    context.after(() => egress.close());
    const url = `http://hooks.test:${new URL(receiver.url).port}/`;
    const post = () =>
      egress.post({ url, headers: {}, body: Buffer.from('{}'), timeoutMilliseconds: 20_000 });
    assert.equal((await post()).kind, 'answer');
    await setImmediate(); // undici frees the connection after its answer
    egress.forbidLoopback();
    const outcome = await post();
    assert.equal(outcome.kind === 'failure' && outcome.errorClass, 'refused_address');
  });

  const proxied: [name: string, headers: Record<string, string>][] = [
    ['X-Forwarded-Proto', { 'x-forwarded-proto': 'https' }],
    ['X-Forwarded-Host', { 'x-forwarded-host': 'localhost' }],
    ['Forwarded', { forwarded: 'for=203.0.113.7' }],
    ['X-Real-IP', { 'x-real-ip': '127.0.0.1' }],
    ['Via', { via: '1.1 proxy' }],
    ["another machine's Host", { host: 'costs.acme.test' }],
    ['a Host that only begins like this one', { host: '127.0.0.1.acme.test:8080' }],
    ['a Host on the local network', { host: '192.168.0.7:8080' }],
    ['a Host that cannot be read', { host: 'a b' }],
  ];
  const direct: [name: string, headers: Record<string, string>][] = [
    ['localhost', { host: 'localhost:8080' }],
    ['127.0.0.1', { host: '127.0.0.1:8080' }],
    ['::1', { host: '[::1]:8080' }],
    ['a name below localhost', { host: 'runcost.localhost' }],
    ['a browser', { host: 'localhost', origin: 'http://localhost', referer: 'http://localhost/' }],
  ];
  for (const [isProxied, cases] of [
    [true, proxied],
    [false, direct],
  ] as const) {
    for (const [name, headers] of cases) {
      test(`${isProxied ? 'are refused' : 'stay allowed'} after a request with ${name}`, async () => {
        let forbidden = 0;
        const egress = { ...app.egress, forbidLoopback: () => void forbidden++ };
        const server = await buildServer({ ...app, egress });
        await request(server, { method: 'GET', url: '/healthz', headers });
        assert.equal(forbidden, isProxied ? 1 : 0);
      });
    }
  }
});
