import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createCircuitBreaker, fairShares, type ReadyWebhook } from './claim.ts';

function ready(fields: Partial<ReadyWebhook> = {}): ReadyWebhook {
  return {
    orgId: 'acme',
    id: 'wh',
    status: 'active',
    lastDeliveryStatus: 'success',
    underWay: 0,
    inFlightOfOrganization: 0,
    isCutOff: false,
    own: { inFlight: 0, waiting: 0, ended: 0, ahead: 0 },
    ...fields,
  };
}

/** How many more deliveries a process that has none in flight may send. */
function sends(webhooks: ReadyWebhook[], places: number, isProbe: boolean): number[] {
  const shares = fairShares(webhooks, { places, waitingPlaces: 0, isProbe });
  return shares.map(({ maxInFlight }) => maxInFlight);
}

test('gives a webhook a share by the result of its last delivery', () => {
  const shares = [
    ready({ orgId: 'a' }),
    ready({ orgId: 'b', lastDeliveryStatus: null }),
    ready({ orgId: 'c', lastDeliveryStatus: 'pending' }),
    ready({ orgId: 'd', status: 'failing' }),
  ];
  assert.deepEqual(sends(shares, 256, false), [48, 4, 4, 1]);
});

test('counts deliveries under way', () => {
  assert.deepEqual(sends([ready({ underWay: 40, inFlightOfOrganization: 40 })], 256, false), [8]);
  const busy = { underWay: 1, inFlightOfOrganization: 1 };
  assert.deepEqual(sends([ready({ ...busy, status: 'failing' })], 256, false), [0]);
});

test('keeps one organization from taking the places of another, and gives each of its own webhooks one', () => {
  const full = { underWay: 48, inFlightOfOrganization: 64 };
  const webhooks = [ready(full), ready({ inFlightOfOrganization: 64 }), ready({ orgId: 'other' })];
  assert.deepEqual(sends(webhooks, 192, false), [0, 1, 48]);
});

test('gives a webhook with nothing under way one place even if none is free', () => {
  assert.deepEqual(sends([ready({ underWay: 1 }), ready({ orgId: 'other' })], 0, false), [0, 1]);
});

test('lets deliveries wait where receivers answer fast, and counts only those in flight', () => {
  const own = { inFlight: 40, waiting: 100, ended: 20, ahead: 336 };
  const fast = ready({ underWay: 160, inFlightOfOrganization: 40, own });
  const given = { places: 256, waitingPlaces: 1_024, isProbe: false };
  assert.deepEqual(fairShares([fast], given), [{ maxInFlight: 48, share: 244 }]);
  const beside = { ...fast, underWay: 168, inFlightOfOrganization: 48 };
  assert.deepEqual(fairShares([beside], given), [{ maxInFlight: 40, share: 236 }]);
  const slowed = [
    { ...fast, lastDeliveryStatus: 'failed' as const },
    { ...fast, status: 'failing' as const },
    { ...fast, isCutOff: true },
  ];
  assert.deepEqual(
    fairShares(slowed, given),
    slowed.map(() => ({ maxInFlight: 40, share: 0 })),
  );
});

test('lets a bounded number of deliveries wait, and none where others send', () => {
  const given = { places: 256, waitingPlaces: 500, isProbe: false };
  const fast = ready({ own: { inFlight: 0, waiting: 0, ended: 0, ahead: 336 } });
  const three = ['a', 'b', 'c'].map((orgId) => ({ ...fast, orgId }));
  assert.deepEqual(
    fairShares(three, given).map(({ share }) => share),
    [48 + 336, 48 + 164, 48],
  );
  const elsewhere = { ...fast, underWay: 48, inFlightOfOrganization: 48 };
  assert.deepEqual(fairShares([elsewhere], given), [{ share: 0, maxInFlight: 0 }]);
});

test('tries unreachable hosts one at a time, without delaying others', () => {
  const cutOff = [ready({ isCutOff: true }), ready({ isCutOff: true }), ready()];
  assert.deepEqual(sends(cutOff, 256, true), [1, 0, 48]);
  assert.deepEqual(sends(cutOff, 256, false), [0, 0, 48]);
});

test('never gives more than the maximum', () => {
  const webhook = fc.record({
    orgId: fc.constantFrom('a', 'b', 'c'),
    id: fc.uuid(),
    status: fc.constantFrom('active', 'failing', 'paused'),
    lastDeliveryStatus: fc.constantFrom('success', 'pending', 'failed', null),
    underWay: fc.nat(60),
    inFlightOfOrganization: fc.constant(30),
    isCutOff: fc.boolean(),
    own: fc.constant({ inFlight: 0, waiting: 0, ended: 0, ahead: 0 }),
  }) as fc.Arbitrary<ReadyWebhook>;
  fc.assert(
    fc.property(
      fc.array(webhook, { maxLength: 30 }),
      fc.nat(256),
      fc.boolean(),
      (webhooks, places, isProbe) => {
        const shares = sends(webhooks, places, isProbe);
        const idle = webhooks.filter(({ underWay }) => underWay === 0).length;
        assert.ok(shares.reduce((sum, share) => sum + share, 0) <= Math.max(places, idle));
        for (const orgId of ['a', 'b', 'c']) {
          const own = webhooks.map((item, index) => (item.orgId === orgId ? shares[index]! : 0));
          const total = own.reduce((sum, share) => sum + share, 0);
          const idleOwn = webhooks.filter((item) => item.orgId === orgId && item.underWay === 0).length;
          assert.ok(total <= Math.max(64 - 30, idleOwn));
        }
        for (const [index, item] of webhooks.entries()) {
          assert.ok(shares[index]! + item.underWay <= Math.max(48, item.underWay));
          if (item.underWay === 0 && !item.isCutOff) assert.ok(shares[index]! >= 1);
        }
      },
    ),
  );
});

const noon = Date.parse('2026-03-18T12:00:00Z');
const at = (seconds: number) => new Date(noon + seconds * 1_000);
const hosts = ['a.example', 'b.example', 'c.example', 'd.example'];
const [a, b, c, d] = hosts as [string, string, string, string];

function breakerThatReached() {
  const breaker = createCircuitBreaker();
  for (const host of hosts) breaker.note(host, true, at(0));
  return breaker;
}

test('opens when most hosts became unreachable and nobody answers', () => {
  const breaker = breakerThatReached();
  for (const host of [a, b]) breaker.note(host, false, at(20));
  assert.equal(breaker.isOpen(a, at(20)), false, 'half of them');
  breaker.note(c, false, at(21));
  assert.equal(breaker.isOpen(a, at(21)), true);
  assert.equal(breaker.isOpen(d, at(21)), false, 'unknown hosts stay allowed');
  assert.equal(breaker.isOpen('new.example', at(21)), false);
});

test('closes as soon as any host answers, and when nothing was tried for a minute', () => {
  const breaker = breakerThatReached();
  for (const host of hosts) breaker.note(host, false, at(20));
  assert.equal(breaker.isOpen(a, at(79)), true);
  assert.equal(breaker.isOpen(a, at(80)), false);
  breaker.note('other.example', true, at(30));
  assert.equal(breaker.isOpen(a, at(30)), false);
});

test('stays closed while other receivers answer', () => {
  const breaker = breakerThatReached();
  for (let second = 1; second < 600; second++) {
    for (const host of [a, b, c]) breaker.note(host, false, at(second));
    if (second % 5 === 0) breaker.note(d, true, at(second));
    assert.equal(breaker.isOpen(a, at(second)), false);
  }
});

test('ignores receivers that never answered, or not within a day', () => {
  const never = createCircuitBreaker();
  for (const host of hosts) never.note(host, false, at(0));
  assert.equal(never.isOpen(a, at(0)), false);
  const longAgo = breakerThatReached();
  for (const host of hosts) longAgo.note(host, false, at(24 * 3_600));
  assert.equal(longAgo.isOpen(a, at(24 * 3_600)), false);
});
