import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { request, startTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import type { Json } from '../../../test/harness/commands.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';

const testApp = await startTestApp();
const books = '/api/v1/pricing/books';

async function receiptOf(organization: TestOrganization, job: Record<string, unknown> = {}) {
  const { body } = await submit(organization, newRun({ jobs: [newJob(job)] }));
  const run = await organization.get(`/api/v1/runs/${body.data.results[0].id}`);
  return run.body.data.jobs[0].receipt;
}

async function auditedActions(organization: TestOrganization): Promise<string[]> {
  const { body } = await organization.get('/api/v1/audit-log');
  return body.data.map(({ action }: { action: string }) => action);
}

describe('the list of price lists', () => {
  test('has the shipped ones and says which is chosen', async () => {
    const organization = await testApp.newOrganization();
    const { body } = await organization.get(books);
    assert.deepEqual(
      body.data.map((book: Record<string, unknown>) => [book['id'], book['is_shipped'], book['is_chosen']]),
      [
        ['github_2025', true, true],
        ['github_2026', true, false],
        ['github_by_date', true, false],
      ],
    );
    assert.deepEqual(
      body.data.map(({ last_day, next_book_id }: Json) => [last_day, next_book_id]),
      [
        ['2025-12-31', 'github_by_date'],
        [null, null],
        [null, null],
      ],
    );
    const one = await organization.get(`${books}/github_2026`);
    const linux = one.body.data.prices.find((price: Json) => price.runner_kind === 'linux_2_core');
    assert.deepEqual(linux, {
      runner_kind: 'linux_2_core',
      title: 'Linux 2-core',
      usd_per_minute: 0.006,
      effective_from: '1970-01-01',
    });
    assert.equal((await organization.get(`${books}/none`)).status, 404);
  });
});

describe('the list of runner kinds', () => {
  const kindsOf = async (organization: TestOrganization): Promise<Json[]> =>
    (await organization.get('/api/v1/pricing/runner-kinds')).body.data.runner_kinds;
  const shape = {
    runner_kind: 'buildkite_linux_amd64_2x4',
    title: 'Buildkite LINUX_AMD64_2X4',
    provider: 'buildkite',
    provider_title: 'Buildkite',
  };

  test('has every kind that a list can price, with or without a price', async () => {
    const organization = await testApp.newOrganization();
    const kinds = await kindsOf(organization);
    assert.deepEqual(
      ['linux_2_core', shape.runner_kind, 'self_hosted'].map((id) =>
        kinds.find(({ runner_kind }) => runner_kind === id),
      ),
      [
        {
          runner_kind: 'linux_2_core',
          title: 'Linux 2-core',
          provider: 'github',
          provider_title: 'GitHub',
          usd_per_minute: 0.008,
        },
        { ...shape, usd_per_minute: null },
        {
          runner_kind: 'self_hosted',
          title: 'Self-hosted',
          provider: null,
          provider_title: null,
          usd_per_minute: 0,
        },
      ],
    );
    const prices = kinds.map(({ runner_kind }) => ({ runner_kind, usd_per_minute: 1 }));
    const all = await organization.send('POST', books, { name: 'All', prices });
    assert.deepEqual(
      all.body.data.prices.map(({ runner_kind }: Json) => runner_kind),
      kinds.map(({ runner_kind }) => runner_kind),
    );
  });

  test("has today's prices of the chosen list, for viewers too, and none of other organizations", async () => {
    const organization = await testApp.newOrganization();
    const stranger = await testApp.newOrganization();
    const { runner_kind } = shape;
    const created = await organization.send('POST', books, {
      name: 'Ours',
      prices: [
        { runner_kind, usd_per_minute: 0.01, effective_from: '2026-03-18' },
        { runner_kind, usd_per_minute: 0.02, effective_from: '2026-03-19' },
        { runner_kind: 'linux_2_core', usd_per_minute: 0.02, effective_from: '2026-03-19' },
      ],
    });
    const priceOf = async (kind: string, createAsk: TestOrganization) =>
      (await kindsOf(createAsk)).find((each) => each['runner_kind'] === kind)!['usd_per_minute'];
    assert.equal(await priceOf(runner_kind, organization), null);
    await organization.send('PUT', '/api/v1/pricing', { book_id: created.body.data.id });
    assert.equal(await priceOf(runner_kind, organization), 0.01);
    assert.equal(await priceOf('linux_2_core', organization), null);
    assert.equal(await priceOf(runner_kind, stranger), null);
    const viewer = await organization.newToken('viewer', ['costs:read']);
    const asViewer = await request(testApp.server, {
      method: 'GET',
      url: '/api/v1/pricing/runner-kinds',
      headers: { authorization: `Bearer ${viewer}` },
    });
    assert.equal(asViewer.status, 200);
  });
});

describe('the chosen price list', () => {
  test('prices new jobs and leaves recorded ones alone', async () => {
    const organization = await testApp.newOrganization();
    const run = newRun({ jobs: [newJob()] });
    await submit(organization, run);
    const chosen = await organization.send('PUT', '/api/v1/pricing', { book_id: 'github_2026' });
    assert.equal(chosen.body.data.book.id, 'github_2026');
    const receipt = await receiptOf(organization);
    assert.equal(receipt.cost, 0.03);
    assert.deepEqual(receipt.price_book, {
      name: "GitHub's price list from 2026-01-01",
      row: 'Linux 2-core',
    });
    // The same report again: the job has not changed, so neither has its price.
    await submit(organization, run);
    const { body } = await organization.get(`/api/v1/runs/run_api_${String(run['run_id'])}`);
    assert.equal(body.data.cost, 0.04);
    assert.equal(body.data.jobs[0].receipt.price_book.name, "GitHub's price list until 2025-12-31");
    assert.ok((await auditedActions(organization)).includes('pricing.update'));
  });

  test('by the date of each job prices it with the list of the UTC day on which it completed', async () => {
    const organization = await testApp.newOrganization();
    const chosen = await organization.send('PUT', '/api/v1/pricing', { book_id: 'github_by_date' });
    assert.equal(chosen.status, 200, chosen.text);
    const started_at = '2025-12-31T23:59:00Z';
    const before = await receiptOf(organization, { started_at, completed_at: '2025-12-31T23:59:59.999Z' });
    const after = await receiptOf(organization, { started_at, completed_at: '2026-01-01T00:00:00Z' });
    assert.deepEqual([before.cost, after.cost], [0.008, 0.006]);
    for (const { price_book } of [before, after]) {
      assert.deepEqual(price_book, { name: 'GitHub, by the date of each job', row: 'Linux 2-core' });
    }
    const gitLab = await receiptOf(organization, { runner: 'gitlab_linux_small' });
    assert.equal(gitLab.price_book.name, "GitLab's price list");
  });

  test("names GitLab's list where the price is GitLab's", async () => {
    const organization = await testApp.newOrganization();
    const receipt = await receiptOf(organization, { runner: 'gitlab_linux_small' });
    assert.deepEqual([receipt.cost, receipt.rounding], [0.05, 'second']);
    assert.deepEqual(receipt.price_book, { name: "GitLab's price list", row: 'GitLab Linux small' });
    assert.equal(receipt.sentence, '300 s of GitLab Linux small at $0.01 per minute: $0.05');
  });

  test('must exist', async () => {
    const organization = await testApp.newOrganization();
    const answer = await organization.send('PUT', '/api/v1/pricing', { book_id: 'nonsense' });
    assert.equal(answer.status, 400);
    assert.equal(answer.body.errors[0].path, 'body.book_id');
    const stranger = await testApp.newOrganization();
    const theirs = await stranger.send('POST', books, { name: 'Theirs' });
    const taken = await organization.send('PUT', '/api/v1/pricing', { book_id: theirs.body.data.id });
    assert.equal(taken.status, 400);
  });
});

test('the audit log shows the choice before and after, and nothing where nothing changed', async () => {
  const organization = await testApp.newOrganization();
  const choose = (body: object) => organization.send('PUT', '/api/v1/pricing', body);
  await choose({ included_minutes: null });
  const before = await auditedActions(organization);
  assert.ok(!before.includes('pricing.update'));
  await choose({ book_id: 'github_2026', included_minutes: { github_plan: 'team' } });
  const again = {
    github_plan: 'team',
    minutes: 3_000,
    unit: 'minutes',
    usd: null,
    draw: 'list_price_ratio',
  };
  assert.equal((await choose({ book_id: 'github_2026', included_minutes: again })).status, 200);
  const { body } = await organization.get('/api/v1/audit-log');
  assert.equal(body.data.length, before.length + 1);
  assert.deepEqual(body.data[0].details, {
    book_id: 'github_2026',
    included_minutes: again,
    before: {
      book_id: 'github_2025',
      included_minutes: null,
    },
  });
});

test('a choice is recorded once, that of the default too', async () => {
  const organization = await testApp.newOrganization();
  const choose = (book_id: string) => organization.send('PUT', '/api/v1/pricing', { book_id });
  const ended = { last_day: '2025-12-31', next_book_id: 'github_by_date' };
  const name = "GitHub's price list until 2025-12-31";
  const nobodys = (await organization.get('/api/v1/pricing')).body.data.book;
  assert.deepEqual(nobodys, { id: 'github_2025', name, ...ended, chosen_at: null });
  await organization.send('PUT', '/api/v1/pricing', { included_minutes: { minutes: 1 } });
  assert.equal((await organization.get('/api/v1/pricing')).body.data.book.chosen_at, null);

  const chosen = await choose('github_2025');
  assert.equal(chosen.body.data.book.chosen_at, testApp.clock.now().toISOString());
  testApp.clock.forward(1);
  assert.deepEqual((await choose('github_2025')).body, chosen.body);
  const { body } = await organization.get('/api/v1/audit-log');
  assert.deepEqual(
    body.data.slice(0, 2).map(({ action, details }: Json) => [action, details.book_id]),
    [
      ['pricing.update', 'github_2025'],
      ['pricing.update', undefined],
    ],
  );
  const { book } = (await choose('github_by_date')).body.data;
  const { data } = (await organization.get('/api/v1/audit-log')).body;
  assert.deepEqual(
    data.filter(({ details }: Json) => details.book_id).map(({ summary }: Json) => summary),
    [
      'chose the price list “GitHub, by the date of each job”',
      "chose the price list “GitHub's price list until 2025-12-31”",
    ],
  );
  assert.deepEqual(
    [book.last_day, book.next_book_id, book.chosen_at],
    [null, null, testApp.clock.now().toISOString()],
  );
});

describe("an organization's own price list", () => {
  test('starts as a copy, with its own dated prices', async () => {
    const organization = await testApp.newOrganization();
    const created = await organization.send('POST', books, {
      name: 'Negotiated',
      based_on: 'github_2026',
      prices: [
        { runner_kind: 'linux_2_core', usd_per_minute: 0.004, effective_from: '2026-01-01' },
        { runner_kind: 'linux_2_core', usd_per_minute: 0.003, effective_from: '2026-03-18' },
      ],
    });
    assert.equal(created.status, 201, created.text);
    const { id } = created.body.data;
    await organization.send('PUT', '/api/v1/pricing', { book_id: id });
    const at = (day: string) => ({
      started_at: `${day}T10:00:00Z`,
      completed_at: `${day}T10:05:00Z`,
    });
    assert.equal((await receiptOf(organization, at('2026-03-17'))).cost, 0.02);
    assert.equal((await receiptOf(organization, at('2026-03-18'))).cost, 0.015);
    assert.equal((await receiptOf(organization, { runner: 'linux_4_core' })).cost, 0.06);
    const before = await receiptOf(organization, at('2025-12-31'));
    assert.deepEqual([before.cost, before.is_unpriced, before.price_book], [0, true, null]);
  });

  test('is named in receipts even after it is deleted', async () => {
    const organization = await testApp.newOrganization();
    const { body } = await organization.send('POST', books, { name: 'Mine', based_on: 'github_2025' });
    const { id } = body.data;
    await organization.send('PUT', '/api/v1/pricing', { book_id: id });
    const { body: submitted } = await submit(organization, newRun());
    const inUse = await organization.send('DELETE', `${books}/${id}`);
    assert.deepEqual([inUse.status, inUse.body.code], [409, 'price_book_in_use']);
    await organization.send('PUT', '/api/v1/pricing', { book_id: 'github_2025' });
    assert.equal((await organization.send('DELETE', `${books}/${id}`)).status, 200);
    assert.equal((await organization.get(`${books}/${id}`)).status, 404);
    const run = await organization.get(`/api/v1/runs/${submitted.data.results[0].id}`);
    assert.equal(run.body.data.jobs[0].receipt.price_book.name, 'Mine');
  });

  test('changes its prices and name; a shipped list does not', async () => {
    const organization = await testApp.newOrganization();
    const { body } = await organization.send('POST', books, { name: 'Mine', based_on: 'github_2025' });
    const prices = [{ runner_kind: 'macos_3_core', usd_per_minute: 0.05 }];
    const changed = await organization.send('PUT', `${books}/${body.data.id}`, { name: 'Ours', prices });
    assert.equal(changed.body.data.name, 'Ours');
    assert.equal(changed.body.data.prices.length, 1);
    const shipped = await organization.send('PUT', `${books}/github_2025`, { name: 'Ours' });
    assert.deepEqual([shipped.status, shipped.body.code], [409, 'price_book_shipped']);
    const actions = await auditedActions(organization);
    assert.deepEqual(actions.slice(0, 2), ['price_book.update', 'price_book.create']);
  });

  const faults: [why: string, body: object, path: string][] = [
    [
      'a price stands twice',
      { prices: [1, 2].map(() => ({ runner_kind: 'linux_2_core', usd_per_minute: 1 })) },
      'body.prices[1]',
    ],
    [
      'a price is too fine',
      { prices: [{ runner_kind: 'linux_2_core', usd_per_minute: 0.0000000001 }] },
      'body.prices[0].usd_per_minute',
    ],
    [
      'a kind is not known',
      { prices: [{ runner_kind: 'linux_3_core', usd_per_minute: 1 }] },
      'body.prices[0].runner_kind',
    ],
    [
      'a day is none',
      { prices: [{ runner_kind: 'linux_2_core', usd_per_minute: 1, effective_from: '2026-02-30' }] },
      'body.prices[0].effective_from',
    ],
    [
      'a rate is higher than any sum can hold',
      { prices: [{ runner_kind: 'linux_2_core', usd_per_minute: 100.01 }] },
      'body.prices[0].usd_per_minute',
    ],
    ['its base is not there', { based_on: 'none' }, 'body.based_on'],
    ['its base is empty', { based_on: '' }, 'body.based_on'],
    [
      'its name is that of another one',
      { name: " GITHUB's  price list until 2025-12-31\u200B" },
      'body.name',
    ],
  ];
  for (const [why, body, path] of faults) {
    test(`is refused where ${why}`, async () => {
      const organization = await testApp.newOrganization();
      const answer = await organization.send('POST', books, { name: 'Mine', ...body });
      assert.equal(answer.status, 400, answer.text);
      assert.equal(answer.body.errors[0].path, path);
    });
  }

  test('has a unique name', async () => {
    const organization = await testApp.newOrganization();
    const create = (name: string) => organization.send('POST', books, { name });
    const { id } = (await create('Mine')).body.data;
    assert.equal((await create('mine ')).body.errors[0].path, 'body.name');
    const other = (await create('Other')).body.data.id;
    const taken = await organization.send('PUT', `${books}/${other}`, { name: 'MINE' });
    assert.deepEqual([taken.status, taken.body.errors[0].path], [400, 'body.name']);
    assert.equal((await organization.send('PUT', `${books}/${id}`, { name: 'MINE' })).status, 200);
    await organization.send('DELETE', `${books}/${id}`);
    assert.equal((await organization.send('PUT', `${books}/${other}`, { name: 'Mine' })).status, 200);
  });

  test('does not change when it is sent back unchanged, in any order', async () => {
    const organization = await testApp.newOrganization();
    testApp.clock.forward(1);
    const created = await organization.send('POST', books, {
      name: 'Mine',
      based_on: 'github_2026',
      prices: [
        {
          runner_kind: 'linux_2_core',
          usd_per_minute: 0.1,
        },
      ],
    });
    const { id, prices } = created.body.data;
    testApp.clock.forward(1);
    const again = await organization.send('PUT', `${books}/${id}`, created.body.data);
    const reversed = await organization.send('PUT', `${books}/${id}`, { prices: prices.toReversed() });
    assert.deepEqual([again.body, reversed.body], [created.body, created.body]);
    assert.deepEqual(await auditedActions(organization), [
      'price_book.create',
      'token.create',
      'organization.create',
    ]);
  });

  test('is hidden from other organizations, and only admins change it', async () => {
    const organization = await testApp.newOrganization();
    const stranger = await testApp.newOrganization();
    const { body } = await organization.send('POST', books, { name: 'Mine' });
    const path = `${books}/${body.data.id}`;
    assert.equal((await stranger.get(path)).status, 404);
    assert.equal((await stranger.send('PUT', path, { name: 'x' })).status, 404);
    assert.equal((await stranger.send('DELETE', path)).status, 404);
    assert.equal((await stranger.get(books)).body.data.length, 3);
    const member = await organization.newToken('member');
    assert.equal((await organization.send('POST', books, { name: 'x' }, member)).status, 403);
  });
});
