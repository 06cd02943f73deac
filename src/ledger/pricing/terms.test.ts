import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { request, sharedTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { newBilledCompany } from '../../../test/harness/billedCompany.ts';
import type { Json } from '../../../test/harness/commands.ts';
import { assertProblem } from '../../../test/harness/problem.ts';

const inMinutes = { unit: 'minutes', usd: null, draw: 'list_price_ratio' };
const testApp = await sharedTestApp();
const path = '/api/v1/pricing/terms';

const put = (organization: TestOrganization, terms: unknown) => organization.send('PUT', path, { terms });

async function auditOf(organization: TestOrganization): Promise<Json[]> {
  const { data } = (await organization.get('/api/v1/audit-log')).body;
  return data.filter(({ action }: Json) => /terms|pricing/.test(action));
}

test('terms are listed in order, each with its first day', async () => {
  const organization = await testApp.newOrganization();
  assert.deepEqual((await organization.get(path)).body, { data: [] });
  const later = { effective_from: '2026-02-01', included_minutes: { minutes: 500 }, discount_percent: 12.5 };
  const set = await put(organization, [
    later,
    { provider: 'gitlab', discount_percent: 5 },
    { included_minutes: { github_plan: 'team' } },
  ]);
  assert.equal(set.status, 200, set.text);
  const always = { effective_from: '1970-01-01' };
  assert.deepEqual(set.body.data, [
    {
      provider: 'github',
      ...always,
      discount_percent: 0,
      included_minutes: { github_plan: 'team', minutes: 3_000, ...inMinutes },
      usd_per_credit: null,
      included_ai_credits: null,
    },
    {
      provider: 'github',
      effective_from: '2026-02-01',
      discount_percent: 12.5,
      included_minutes: { github_plan: null, minutes: 500, ...inMinutes },
      usd_per_credit: null,
      included_ai_credits: null,
    },
    {
      provider: 'gitlab',
      ...always,
      included_minutes: null,
      discount_percent: 5,
      usd_per_credit: null,
      included_ai_credits: null,
    },
  ]);
  // The response of GET can be sent back.
  assert.deepEqual((await put(organization, set.body.data)).body, set.body);
  const [entry, ...others] = await auditOf(organization);
  assert.deepEqual([others, entry.action, entry.details.before], [[], 'billing_terms.update', { terms: [] }]);
  assert.deepEqual(entry.details.terms, set.body.data);
});

test('each answer has the terms that its request set, although others set others at once', async () => {
  const organization = await testApp.newOrganization();
  const discounts = Array.from({ length: 8 }, (_, index) => index + 1);
  const answers = await Promise.all(
    discounts.map((discount_percent) => put(organization, [{ discount_percent }])),
  );
  assert.deepEqual(
    answers.map(({ body }) => body.data.map((each: Json) => each.discount_percent)),
    discounts.map((discount) => [discount]),
  );
});

test('terms that several people add and remove at once are all kept', async () => {
  const organization = await testApp.newOrganization();
  const { send } = organization;
  const days = ['2026-01-01', '2026-02-01', '2026-03-01', '2026-04-01'];
  const add = (effective_from: string) => send('POST', path, { effective_from, discount_percent: 5 });
  const added = await Promise.all(days.map(add));
  assert.deepEqual(new Set(added.map(({ status }) => status)), new Set([200]));
  const [replaced, removed] = await Promise.all([
    send('POST', path, { effective_from: days[0], discount_percent: 7 }),
    send('DELETE', `${path}?effective_from=${days[1]}`),
  ]);
  assert.deepEqual([replaced.status, removed.status], [200, 200]);
  const { data } = (await organization.get(path)).body;
  assert.deepEqual(
    data.map((each: Json) => [each.effective_from, each.discount_percent]),
    [
      ['2026-01-01', 7],
      ['2026-03-01', 5],
      ['2026-04-01', 5],
    ],
  );
  assertProblem(await send('DELETE', `${path}?effective_from=1999-01-01`), 404, 'billing_terms_not_found');
  const fault = await send('POST', path, { discount_percent: 1.005 });
  assertProblem(fault, 400, 'invalid_request', ['body.discount_percent']);
});

test('the first terms are removed only by their day', async () => {
  const organization = await testApp.newOrganization();
  const { body } = await put(organization, [{ discount_percent: 10 }]);
  for (const query of ['', '?provider=github'])
    assertProblem(await organization.send('DELETE', `${path}${query}`), 400, 'invalid_request', [
      'query.effective_from',
    ]);
  assert.deepEqual((await organization.get(path)).body, body);
  const removed = await organization.send('DELETE', `${path}?effective_from=1970-01-01`);
  assert.deepEqual(removed.body.data, []);
});

test('no terms are added to 200', async () => {
  const organization = await testApp.newOrganization();
  const dayOf = (index: number) => new Date(Date.UTC(2020, 0, 1 + index)).toISOString().slice(0, 10);
  const full = Array.from({ length: 200 }, (_, index) => ({ effective_from: dayOf(index) }));
  assert.equal((await put(organization, full)).status, 200);
  const add = (index: number) => organization.send('POST', path, { effective_from: dayOf(index) });
  assertProblem(await add(200), 400, 'invalid_request', ['body']);
  assert.equal((await add(199)).status, 200);
});

test("the price settings show today's included minutes, and change the terms that hold today", async () => {
  const organization = await testApp.newOrganization();
  await put(organization, [
    { included_minutes: { minutes: 100 } },
    { effective_from: '2026-03-01', included_minutes: { minutes: 200 }, discount_percent: 10 },
    { effective_from: '2026-04-01', included_minutes: { minutes: 300 } },
  ]);
  const { included_minutes } = (await organization.get('/api/v1/pricing')).body.data;
  assert.deepEqual(included_minutes, { github_plan: null, minutes: 200, ...inMinutes });
  await organization.send('PUT', '/api/v1/pricing', { included_minutes: { github_plan: 'free' } });
  const { data } = (await organization.get(path)).body;
  assert.deepEqual(
    data.map((each: Json) => [each.effective_from, each.included_minutes.minutes, each.discount_percent]),
    [
      ['1970-01-01', 100, 0],
      ['2026-03-01', 2_000, 10],
      ['2026-04-01', 300, 0],
    ],
  );
});

test('net cost follows the terms of each day: free runners, minutes of the month, then the discount', async () => {
  const { organization, work } = await newBilledCompany(testApp, { plan: 'pro' });
  await work({ day: '2026-02-28', minutes: 50 });
  await work({ day: '2026-03-02', minutes: 60 });
  await work({ day: '2026-03-03', minutes: 60 });
  await work({ day: '2026-03-03', minutes: 20, repository: 'acme/web' });
  await work({ day: '2026-03-03', minutes: 10, private: false, repository: 'acme/open' });
  await work({ day: '2026-03-04', minutes: 10, label: 'ubuntu-latest-4-cores', group: 'Large' });
  await work({ day: '2026-03-04', minutes: 10, label: 'self-hosted', group: 'Own' });
  await put(organization, [
    { included_minutes: { minutes: 100 } },
    { effective_from: '2026-03-04', included_minutes: { minutes: 100 }, discount_percent: 25 },
  ]);
  const { data } = (await organization.get('/api/v1/dashboard/trends')).body;
  const days = data.filter(({ cost }: Json) => cost !== 0);
  assert.deepEqual(
    days.map((each: Json) => [each.date, each.cost, each.net_cost]),
    [
      ['2026-02-28', 0.4, 0],
      ['2026-03-02', 0.48, 0],
      // 40 of 80 minutes are left, so half of each job is covered.
      ['2026-03-03', 0.72, 0.32],
      ['2026-03-04', 0.16, 0.12],
    ],
  );
  const answer = await organization.get('/api/v1/costs', { metric: 'net_cost', group_by: 'repository' });
  assert.deepEqual(
    answer.body.data.groups.map(({ by, value }: Json) => [by[0].value, value]),
    [
      ['acme/api', 0.36],
      ['acme/web', 0.08],
      ['acme/open', 0],
    ],
  );
  const csv = await request(testApp.server, {
    method: 'GET',
    url: '/api/v1/costs?metric=net_cost&compare=previous_period&days=15',
    headers: { authorization: `Bearer ${organization.token}`, accept: 'text/csv' },
  });
  assert.equal(
    csv.text,
    'row,start,net_cost_usd,previous_net_cost_usd,change_net_cost_usd\r\ntotal,2026-03-04,0.12,0.32,-0.2\r\n',
  );
});

describe('refused are', () => {
  const faults: [why: string, terms: object[], path: string, message: RegExp][] = [
    [
      'providers without runners',
      [{ provider: 'jenkins' }],
      'body.terms[0].provider',
      /^must be one of: github/,
    ],
    [
      'included minutes elsewhere',
      [{ provider: 'circleci', included_minutes: { minutes: 5 } }],
      'body.terms[0].included_minutes',
      /^must be null for CircleCI/,
    ],
    [
      'discounts with three decimals',
      [{ discount_percent: 1.005 }],
      'body.terms[0].discount_percent',
      /at most two decimals$/,
    ],
    ['discounts above 100', [{ discount_percent: 101 }], 'body.terms[0].discount_percent', /at most 100$/],
    [
      'AI credits elsewhere',
      [{ provider: 'gitlab', included_ai_credits: 5 }],
      'body.terms[0].included_ai_credits',
      /^must be null for GitLab/,
    ],
    [
      'a price of credits of a provider without credits',
      [{ usd_per_credit: 0.0005 }],
      'body.terms[0].usd_per_credit',
      /^must be null for GitHub, which does not bill in credits$/,
    ],
    [
      'prices of credits with ten decimals',
      [{ provider: 'circleci', usd_per_credit: 0.000_000_000_5 }],
      'body.terms[0].usd_per_credit',
      /at most nine decimals$/,
    ],
    ['two terms from one day', [{}, { provider: 'github' }], 'body.terms[1]', /^repeats the terms of github/],
    [
      'days that are none',
      [{ effective_from: '2026-02-30' }],
      'body.terms[0].effective_from',
      /calendar day/,
    ],
    ['unknown fields', [{ discount: 5 }], 'body.terms[0].discount', /did you mean/],
  ];
  for (const [why, terms, at, message] of faults) {
    test(why, async () => {
      const organization = await testApp.newOrganization();
      const answer = await put(organization, terms);
      assertProblem(answer, 400, 'invalid_request', [at]);
      assert.match(answer.body.errors[0].message, message);
      assert.deepEqual((await organization.get(path)).body.data, []);
    });
  }
});

test('another organization sees and changes nothing, and a member may only read', async () => {
  const [organization, other] = [await testApp.newOrganization(), await testApp.newOrganization()];
  await put(organization, [{ discount_percent: 10 }]);
  assert.deepEqual((await other.get(path)).body.data, []);
  await put(other, []);
  const member = await organization.newToken('member');
  const refused = await organization.send('PUT', path, { terms: [] }, member);
  assertProblem(refused, 403, 'role_too_low');
  assert.equal((await organization.get(path)).body.data.length, 1);
  const nobody = await organization.send('PUT', path, { terms: [] }, 'wrong');
  assert.equal(nobody.status, 401);
});
