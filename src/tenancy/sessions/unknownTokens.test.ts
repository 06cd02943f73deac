import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { request, startTestApp, type Answer, type TestOrganization } from '../../../test/harness/app.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { newToken } from '../../../test/harness/sessions.ts';
import { newWebhook } from '../../../test/harness/webhooks.ts';

const testApp = await startTestApp({ RATE_LIMIT: '', TRUSTED_PROXIES: '10.9.0.0/16' });
const { clock, server } = testApp;

let last = 0;
/** An address that no other test in this file uses. */
const newAddress = () => `198.51.100.${++last}`;

function ask(token: string, from: string, forwarded?: string): Promise<Answer> {
  const headers = { authorization: `Bearer ${token}`, ...(forwarded && { 'x-forwarded-for': forwarded }) };
  return request(server, { method: 'GET', url: '/api/v1/session', headers, remoteAddress: from });
}

async function askTimes(count: number, ...asked: Parameters<typeof ask>): Promise<number[]> {
  const statuses: number[] = [];
  for (let index = 0; index < count; index++) statuses.push((await ask(...asked)).status);
  return statuses;
}

const all = (count: number, status: number) => Array<number>(count).fill(status);
const guessOf = (token: string) => token.slice(0, -43) + 'A'.repeat(43);
const strangeOf = (token: string) => token.slice(0, -64) + 'a'.repeat(20) + token.slice(-44);
const linesOf = (address: string) =>
  testApp
    .logged()
    .split('\n')
    .filter((line) => line.includes('refused with 429') && line.includes(`"${address}"`));

async function failuresOf(organization: TestOrganization) {
  const { data } = (await organization.get('/api/v1/audit-log', { kind: 'token' })).body;
  return data.filter(({ action }: { action: string }) => action === 'token.fail');
}

describe('unknown tokens', () => {
  test('get 429 and Retry-After after 60 a minute from one address, where a valid token goes on working', async () => {
    const { token } = await testApp.newOrganization();
    const from = newAddress();
    assert.deepEqual(await askTimes(60, 'nonsense', from), all(60, 401));
    const refused = await ask('nonsense', from);
    assertProblem(refused, 429, 'rate_limited');
    assert.equal(refused.headers['retry-after'], '60');
    assert.match(refused.body.detail, /unknown, revoked or expired/);
    assert.equal((await ask(token, from)).status, 200);
    assert.equal((await ask('nonsense', newAddress())).status, 401);
    clock.forward(60);
    assert.deepEqual(await askTimes(60, 'nonsense', from), all(60, 401));
    assert.equal((await ask('nonsense', from)).headers['retry-after'], '120');
    clock.forward(120 + 15 * 60);
    assert.deepEqual(await askTimes(61, 'nonsense', from), [...all(60, 401), 429]);
    assert.equal(linesOf(from).length, 2, 'a line when it begins, and again after a pause');
  });

  test('get 401 and 429 also while the audit log cannot be written', async (t) => {
    const organization = await testApp.newOrganization();
    const { token } = organization;
    await newWebhook(organization, { events: ['audit.recorded'], status: 'paused' });
    t.mock.method(testApp.app.subscribers, 'announceAudit', () => Promise.reject(new Error('no audit')));
    assert.deepEqual(await askTimes(61, guessOf(token), newAddress()), [...all(60, 401), 429]);
    const signIn = { method: 'POST', url: '/api/v1/session', payload: { token: guessOf(token) } } as const;
    assertProblem(await request(server, { ...signIn, remoteAddress: newAddress() }), 401, 'invalid_token');
    assert.equal(testApp.logged().split('a failed sign-in could not be written to the audit log').length, 3);
  });

  test('count for the address that a trusted proxy names', async () => {
    for (let index = 0; index <= 60; index++) {
      assert.equal((await ask('nonsense', '10.9.1.1', `203.0.113.${index}`)).status, 401);
    }
    const through = await askTimes(61, 'nonsense', '10.9.1.1', '203.0.113.99');
    assert.deepEqual(through, [...all(60, 401), 429]);
    const claimed = newAddress();
    assert.equal((await askTimes(61, 'nonsense', newAddress(), claimed)).at(-1), 429, 'no proxy');
    assert.equal((await ask('nonsense', claimed)).status, 401);
  });

  test('count for the token that they name, from any address, with one entry in its audit log', async () => {
    const organization = await testApp.newOrganization();
    const { id, token } = await newToken(organization);
    const addresses = Array.from({ length: 62 }, newAddress);
    const statuses: number[] = [];
    for (const from of addresses) statuses.push((await ask(guessOf(token), from)).status);
    assert.deepEqual(statuses, [...all(60, 401), 429, 429]);
    const [entry, ...others] = await failuresOf(organization);
    assert.deepEqual([entry.target, entry.details.address, entry.actor], [id, addresses[60], 'unknown']);
    assert.equal(others.length, 0);
    assert.equal((await ask(token, addresses[0]!)).status, 200);
    assert.ok(!testApp.logged().includes('AAAA'), 'no part of a secret');
    await askTimes(61, strangeOf(token), newAddress());
    assert.equal((await failuresOf(organization)).length, 1, 'none for an id that nobody has');
  });
});
