import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startTestApp, type Answer, type TestOrganization } from '../../../test/harness/app.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { newSource } from '../../../test/harness/source.ts';
import { newRun, submit } from '../../../test/harness/submission.ts';
import { gitHubRun } from '../../../test/payloads/gitHub.ts';

const byPlan = await startTestApp({ RATE_LIMIT: '' });
const three = await startTestApp({ RATE_LIMIT: '3' });
const unlimited = await startTestApp({ RATE_LIMIT: '0' });
const path = '/api/v1/members';

const limitOf = ({ headers }: Answer) => Number(headers['x-ratelimit-limit']);
const leftOf = ({ headers }: Answer) => Number(headers['x-ratelimit-remaining']);

async function statuses(organization: TestOrganization, count: number): Promise<number[]> {
  const answers: number[] = [];
  for (let index = 0; index < count; index++) answers.push((await organization.get(path)).status);
  return answers;
}

describe("a plan's requests per minute", () => {
  for (const [plan, limit] of [
    ['free', 60],
    ['pro', 300],
    ['team', 600],
  ] as const) {
    test(`are ${limit} for ${plan}, and every answer says how many are left`, async () => {
      const organization = await byPlan.newOrganization({ plan });
      const first = await organization.get(path);
      assert.deepEqual([limitOf(first), leftOf(first)], [limit, limit - 1]);
      assert.ok(Number(first.headers['x-ratelimit-reset']) > 0);
      assert.equal(leftOf(await organization.get(path)), limit - 2);
    });
  }

  test('end in 429 with the time to wait', async () => {
    const organization = await byPlan.newOrganization({ plan: 'free' });
    assert.deepEqual(await statuses(organization, 60), Array<number>(60).fill(200));
    const refused = await organization.get(path);
    assertProblem(refused, 429, 'rate_limited');
    const wait = Number(refused.headers['retry-after']);
    assert.ok(Number.isInteger(wait) && wait >= 1 && wait <= 60, `${wait} seconds`);
    assert.deepEqual([limitOf(refused), leftOf(refused)], [60, 0]);
  });
});

describe('a limit for the whole installation', () => {
  test('counts per token, and starts again each minute', async (context) => {
    context.mock.timers.enable({ apis: ['Date'], now: Date.now() });
    const organization = await three.newOrganization({ plan: 'free' });
    assert.deepEqual(await statuses(organization, 4), [200, 200, 200, 429]);
    const viewer = await organization.newToken('viewer');
    assert.equal((await organization.send('PUT', '/api/v1/organization', {}, viewer)).status, 403);
    assert.equal((await organization.send('GET' as 'PUT', path, undefined, viewer)).status, 200);
    context.mock.timers.tick(59_000);
    assert.deepEqual(await statuses(organization, 1), [429]);
    context.mock.timers.tick(2_000);
    assert.deepEqual(await statuses(organization, 4), [200, 200, 200, 429]);
  });

  test('counts refused requests too', async () => {
    const organization = await three.newOrganization();
    const viewer = await organization.newToken('viewer');
    const asViewer = (method: 'GET' | 'PUT', url: string) =>
      organization.send(method as 'PUT', url, method === 'PUT' ? {} : undefined, viewer);
    const refused = [
      await asViewer('PUT', '/api/v1/organization'),
      await asViewer('GET', `${path}?org_id=${(await three.newOrganization()).orgId}`),
      await asViewer('GET', '/api/v1/dashboard/trends?days=many'),
    ];
    assert.deepEqual(
      refused.map((answer) => [answer.status, leftOf(answer)]),
      [
        [403, 2],
        [403, 1],
        [400, 0],
      ],
    );
    assertProblem(await asViewer('GET', path), 429, 'rate_limited');
  });

  test('exempts reported runs and deliveries, and whatever needs no token', async () => {
    const organization = await three.newOrganization();
    const source = await newSource(three, organization);
    for (let index = 0; index < 6; index++) {
      await submit(organization, newRun());
      assert.equal((await source.deliver('ping', {})).status, 202);
      assert.equal((await source.deliver('push', gitHubRun())).status, 202);
      for (const url of ['/healthz', '/openapi.json', '/docs', '/icon.svg']) {
        assert.equal((await three.server.inject(url)).statusCode, 200, url);
      }
    }
    assert.equal((await organization.get(path)).status, 200);
  });

  test('of 0 means none', async () => {
    const organization = await unlimited.newOrganization({ plan: 'free' });
    assert.deepEqual(await statuses(organization, 70), Array<number>(70).fill(200));
    const { headers } = await organization.get(path);
    assert.ok(!Object.keys(headers).some((name) => name.startsWith('x-ratelimit')));
  });
});
