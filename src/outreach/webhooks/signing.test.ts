import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { startTestApp } from '../../../test/harness/app.ts';
import type { TestOrganization } from '../../../test/harness/app.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { newWebhook, readWebhook } from '../../../test/harness/webhooks.ts';
import { chooseSecret, signingSecrets } from './signing.ts';

const testApp = await startTestApp();
const { app, clock } = testApp;
const hour = 3_600;

async function rotate(organization: TestOrganization, id: string, secret?: string) {
  const body = secret === undefined ? undefined : { secret };
  const answer = await organization.send('POST', `/api/v1/webhooks/${id}/rotate-secret`, body);
  assert.equal(answer.status, 200, answer.text);
  return answer.body.data;
}

/** The secrets that sign the webhook's deliveries now. */
async function signing(id: string) {
  const row = await app.db.selectFrom('webhooks').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  return signingSecrets(app.vault, row, clock.now());
}

describe('rotating a secret', () => {
  test('lets both sign for a day, then only the new one', async () => {
    const organization = await testApp.newOrganization();
    const { id, secret: first, secret_prefix: prefix } = await newWebhook(organization);
    assert.deepEqual(await signing(id), { current: first, next: null });
    const rotatedAt = clock.now();
    const { secret: second, promote_at: promoteAt, ...listed } = await rotate(organization, id);
    assert.match(second, /^whsec_/);
    assert.notEqual(second, first);
    assert.equal(promoteAt, new Date(rotatedAt.getTime() + 24 * hour * 1_000).toISOString());
    assert.equal(listed.secret_prefix, prefix);
    assert.deepEqual((await readWebhook(organization, id)).rotation, {
      promote_at: promoteAt,
      next_secret_prefix: `${second.slice(0, 10)}…`,
    });
    assert.deepEqual(await signing(id), { current: first, next: second });

    clock.set(new Date(Date.parse(promoteAt) - 1));
    assert.deepEqual(await signing(id), { current: first, next: second });
    assert.equal((await readWebhook(organization, id)).secret_prefix, prefix);

    clock.set(promoteAt);
    assert.deepEqual(await signing(id), { current: second, next: null });
    const promoted = await readWebhook(organization, id);
    assert.deepEqual([promoted.rotation, promoted.secret_prefix], [null, `${second.slice(0, 10)}…`]);
    const [inList] = (await organization.get('/api/v1/webhooks')).body.data.webhooks;
    assert.equal(inList.secret_prefix, promoted.secret_prefix);
  });

  test('again within the day replaces the new one and restarts the day', async () => {
    const organization = await testApp.newOrganization();
    const { id, secret: first } = await newWebhook(organization);
    await rotate(organization, id);
    clock.forward(23 * hour);
    const third = await rotate(organization, id);
    assert.deepEqual(await signing(id), { current: first, next: third.secret });
    clock.forward(2 * hour);
    assert.deepEqual(await signing(id), { current: first, next: third.secret });
    clock.forward(22 * hour);
    assert.deepEqual(await signing(id), { current: third.secret, next: null });
  });

  test('again after the day makes the new one current', async () => {
    const organization = await testApp.newOrganization();
    const { id } = await newWebhook(organization);
    const second = await rotate(organization, id);
    clock.forward(25 * hour);
    const third = await rotate(organization, id);
    assert.equal(third.secret_prefix, `${second.secret.slice(0, 10)}…`);
    assert.deepEqual(await signing(id), { current: second.secret, next: third.secret });
  });

  test('uses a given secret unchanged, and shows it once', async () => {
    const organization = await testApp.newOrganization();
    const { id } = await newWebhook(organization);
    const rotated = await rotate(organization, id, 'short one');
    assert.equal(rotated.secret, 'short one');
    assert.match(rotated.warnings[0], /16 characters/);
    assert.equal((await signing(id)).next, 'short one');
    const later = await organization.get(`/api/v1/webhooks/${id}`);
    assert.equal(later.body.data.rotation.next_secret_prefix, 'sho…');
    assert.ok(!later.text.includes('short one'));
    assert.ok(!(await organization.get('/api/v1/audit-log')).text.includes('short one'));
    assert.ok(!testApp.logged().includes('short one'));
    const empty = await organization.send('POST', `/api/v1/webhooks/${id}/rotate-secret`, { secret: '' });
    assertProblem(empty, 400, 'invalid_request', ['body.secret']);
  });
});

test('shows at most ten characters and a third of a given secret', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }), (given) => {
      const { text, prefix } = chooseSecret(given);
      const shown = prefix.slice(0, -1);
      assert.equal(text, given);
      assert.ok(prefix.endsWith('…') && given.startsWith(shown) && prefix.isWellFormed());
      assert.ok(Array.from(shown).length <= Math.min(10, Array.from(given).length / 3));
    }),
  );
});
