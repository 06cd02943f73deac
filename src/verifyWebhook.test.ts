import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { signedHeaders, type SigningSecrets } from './outreach/webhooks/signing.ts';
import { verifyWebhook, type VerifyWebhookOptions } from './verifyWebhook.ts';

const generated = `whsec_${randomBytes(32).toString('base64')}`;
const event = {
  id: 'evt_1',
  event: 'alert.resolved',
  timestamp: '2026-03-18T12:00:00.000Z',
  data: { alert: { id: '1', name: 'Überlauf 🚨' } },
};
const body = Buffer.from(JSON.stringify(event));
const now = new Date('2026-03-18T12:00:00Z');
const secondsLater = (seconds: number) => new Date(now.getTime() + seconds * 1_000);

function headersOf(secrets: Partial<SigningSecrets> = {}, signed: Buffer = body): Record<string, string> {
  return signedHeaders({
    deliveryId: 'del_1',
    eventId: event.id,
    event: event.event,
    attempt: 1,
    body: signed,
    secrets: { current: generated, next: null, ...secrets },
    now,
  });
}

/** A valid request with these changes. */
function verify(options: Partial<VerifyWebhookOptions> = {}): unknown {
  return verifyWebhook({ body, headers: headersOf(), secret: generated, now, ...options });
}

test('a signed request returns its event, with its body as bytes or as text', () => {
  for (const form of [body, new Uint8Array(body), body.toString()]) {
    assert.deepEqual(verify({ body: form }), event);
  }
});

test('headers may come from fetch, Node, or anything else, in any case', () => {
  const headers = headersOf();
  const entries = Object.entries(headers);
  const forms = [
    new Headers(headers),
    Object.fromEntries(entries.map(([name, value]) => [name.toUpperCase(), value])),
    Object.fromEntries(entries.map(([name, value]) => [name, [value]])),
    { ...headers, accept: undefined, 'set-cookie': ['a', 'b'] },
  ];
  for (const form of forms) assert.deepEqual(verify({ headers: form }), event);
});

test('for any secret and body, our signatures are accepted, and nothing that differs by a bit', () => {
  const secrets = fc.oneof(
    fc.string({ minLength: 1, maxLength: 256, unit: 'binary' }),
    fc.constantFrom('whsec_', 'whsec_no base64', 'whsec_abc', 'whsec_abc=', 'whsec_AAAA\n'),
    fc
      .uint8Array({ minLength: 16, maxLength: 64 })
      .map((key) => `whsec_${Buffer.from(key).toString('base64')}`),
  );
  const flips = fc.record({ at: fc.nat(), bit: fc.integer({ min: 0, max: 7 }) });
  fc.assert(
    fc.property(secrets, fc.object(), flips, (secret, data, { at, bit }) => {
      const bytes = Buffer.from(JSON.stringify(data));
      const headers = headersOf({ current: secret }, bytes);
      const own = { secret, headers };
      assert.deepEqual(verify({ ...own, body: bytes }), JSON.parse(bytes.toString()));
      const changed = Buffer.from(bytes);
      changed[at % changed.length]! ^= 1 << bit;
      assert.throws(() => verify({ ...own, body: changed }), /no signature matches/);
      assert.throws(() => verify({ ...own, body: bytes, secret: `x${secret}` }), /no signature matches/);
    }),
  );
});

test('while a secret is rotated, the old and the new one are both accepted', () => {
  const next = `whsec_${randomBytes(32).toString('base64')}`;
  const headers = headersOf({ next });
  for (const secret of [generated, next]) assert.deepEqual(verify({ headers, secret }), event);
  assert.throws(() => verify({ headers: headersOf(), secret: next }), /no signature matches/);
});

test('signatures of unknown kinds are ignored', () => {
  const signature = headersOf()['webhook-signature']!;
  const headers = { ...headersOf(), 'webhook-signature': `v1a,AAAA v2,BBBB ${signature}` };
  assert.deepEqual(verify({ headers }), event);
});

test('a request that is too old or too far ahead is refused, by five minutes by default', () => {
  for (const seconds of [300, -300]) assert.deepEqual(verify({ now: secondsLater(seconds) }), event);
  assert.throws(() => verify({ now: secondsLater(301) }), /sent 301 s ago, but the tolerance is 300 s/);
  assert.throws(() => verify({ now: secondsLater(-301) }), /sent 301 s ahead/);
  assert.deepEqual(verify({ now: secondsLater(3_600), toleranceSeconds: 3_600 }), event);
  assert.throws(() => verify({ now: secondsLater(2), toleranceSeconds: 1 }), /sent 2 s ago/);
  assert.throws(() => verify({ toleranceSeconds: Number.NaN }), /tolerance/);
  assert.throws(() => verifyWebhook({ body, headers: headersOf(), secret: generated }), /s ago/);
});

const changes: [change: string, headers: Record<string, string | undefined>, message: RegExp][] = [
  ['no id', { 'webhook-id': undefined }, /header webhook-id is missing/],
  ['no time', { 'webhook-timestamp': undefined }, /header webhook-timestamp is missing/],
  ['no signature', { 'webhook-signature': '' }, /header webhook-signature is missing/],
  ['another id', { 'webhook-id': 'evt_2' }, /no signature matches/],
  ['another time', { 'webhook-timestamp': '1773835201' }, /no signature matches/],
  ['another signature', { 'webhook-signature': `v1,${'A'.repeat(43)}=` }, /no signature matches/],
  ['only the version', { 'webhook-signature': 'v1,' }, /no signature matches/],
  ['our signature and more', { 'webhook-signature': `${headersOf()['webhook-signature']}A` }, /no signature/],
  [
    'the other signature',
    { 'webhook-signature': headersOf()['x-service-signature'] },
    /no signature matches/,
  ],
];
for (const [change, headers, message] of changes) {
  test(`a request with ${change} is refused`, () => {
    assert.throws(() => verify({ headers: { ...headersOf(), ...headers } }), message);
  });
}

test('a mistake in the call throws its own error', () => {
  const parsed = { body: event as unknown as string };
  assert.throws(() => verify(parsed), {
    name: 'TypeError',
    message: /bytes of the request, not parsed JSON/,
  });
  assert.throws(() => verify({ secret: '' }), /secret is empty/);
});

test('it accepts what the standardwebhooks library signs, and the library accepts what we sign', (t) => {
  t.mock.timers.enable({ apis: ['Date'], now });
  const own = 'a secret of our own, with ümläuts';
  const keys: [secret: string, webhook: Webhook][] = [
    [generated, new Webhook(generated)],
    [own, new Webhook(Buffer.from(own), { format: 'raw' })],
  ];
  for (const [secret, webhook] of keys) {
    const headers = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(now.getTime() / 1_000),
      'webhook-signature': webhook.sign('msg_1', now, body),
    };
    assert.deepEqual(verify({ headers, secret }), event);
    assert.deepEqual(webhook.verify(body, headersOf({ current: secret })), event);
  }
});
