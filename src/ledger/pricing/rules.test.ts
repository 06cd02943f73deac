import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';
import { maxRate } from './priceBook.ts';

const testApp = await startTestApp();
const rules = '/api/v1/pricing/rules';

async function receiptOf(organization: TestOrganization, job: Record<string, unknown>) {
  const { body } = await submit(organization, newRun({ jobs: [newJob(job)] }));
  const run = await organization.get(`/api/v1/runs/${body.data.results[0].id}`);
  return run.body.data.jobs[0].receipt;
}

async function addRule(organization: TestOrganization, rule: object): Promise<string> {
  const answer = await organization.send('POST', rules, rule);
  assert.equal(answer.status, 201, answer.text);
  return answer.body.data.id;
}

const order = async (organization: TestOrganization): Promise<string[]> =>
  (await organization.get(rules)).body.data.map(({ pattern }: { pattern: string }) => pattern);

test('a rule gives runners a kind, and the receipt names the rule', async () => {
  const organization = await testApp.newOrganization();
  await addRule(organization, { match: 'label', pattern: 'Mystery', runner_kind: 'linux_8_core' });
  const receipt = await receiptOf(organization, { labels: ['mystery'] });
  assert.equal(receipt.cost, 0.16);
  assert.equal(receipt.runner_rule, 'label:Mystery');
  assert.equal(
    receipt.runner_rule_text,
    "The organization's rule for the label Mystery says it is Linux 8-core.",
  );
  assert.equal((await organization.get('/api/v1/pricing/unpriced')).body.data.length, 0);
});

test('a rule can have its own rate, by the second, and its own name', async () => {
  const organization = await testApp.newOrganization();
  const id = await addRule(organization, {
    match: 'regex',
    pattern: '^depot-.*-8$',
    name: 'Depot 8',
    usd_per_minute: 0.016,
    rounding: 'second',
  });
  const job = { labels: ['depot-ubuntu-24.04-8'], completed_at: '2026-03-18T10:01:30Z' };
  const receipt = await receiptOf(organization, job);
  assert.deepEqual(receipt, {
    seconds: 90,
    billed_minutes: 2,
    is_cut: false,
    runner_kind: 'custom:Depot 8',
    runner_title: 'Depot 8',
    runner_rule: 'regex:^depot-.*-8$',
    runner_rule_text: "The organization's rule for labels that match ^depot-.*-8$ says it is Depot 8.",
    price_per_minute: 0.016,
    rounding: 'second',
    credits: null,
    parallelism: 1,
    price_book: { name: "the organization's rules", row: 'Depot 8' },
    cost: 0.024,
    is_carried_over: false,
    is_unpriced: false,
    sentence: '90 s of Depot 8 at $0.016 per minute: $0.024',
  });
  await organization.send('DELETE', `${rules}/${id}`);
  assert.equal((await receiptOf(organization, job)).runner_kind, 'third_party');
});

describe('later rates', () => {
  const rule = { match: 'label', pattern: 'box-2', name: 'Box 2', usd_per_minute: 0.001 };
  const later = (effective_from: string, usd_per_minute: number) => ({ effective_from, usd_per_minute });
  const onDay = (day: string, hour = 10) => ({
    labels: ['box-2'],
    started_at: `${day}T${hour}:00:00Z`,
    completed_at: `${day}T${hour}:10:00Z`,
  });

  test('price each job by its day, also when it arrives late and after a reprice', async () => {
    const organization = await testApp.newOrganization({ plan: 'team' });
    const id = await addRule(organization, { ...rule, later_rates: [later('2026-03-01', 0.00125)] });
    const receipts = [
      await receiptOf(organization, onDay('2026-03-01')),
      await receiptOf(organization, onDay('2026-02-28')),
    ];
    assert.deepEqual(
      receipts.map(({ cost, runner_rule_text }) => [cost, runner_rule_text]),
      [
        [
          0.0125,
          "The organization's rule for the label box-2 says it is Box 2, at its rate from 2026-03-01.",
        ],
        [0.01, "The organization's rule for the label box-2 says it is Box 2."],
      ],
    );
    assert.equal(receipts[0].sentence, '600 s are 10 minutes of Box 2 at $0.00125: $0.0125');
    const total = async () => (await organization.get('/api/v1/costs')).body.data.total.value;
    const reprice = async () => {
      const days = { from: '2026-02-01', to: '2026-03-18' };
      assert.equal((await organization.send('POST', '/api/v1/reprices', days)).status, 202);
      await testApp.worker.processAll();
      return total();
    };
    assert.deepEqual([await total(), await reprice()], [0.0225, 0.0225]);
    const changed = { later_rates: [later('2026-03-10', 0.003), later('2026-03-01', 0.002)] };
    const proposed = { rules: [{ ...rule, ...changed }] };
    const preview = await organization.send('POST', '/api/v1/pricing/what-if', proposed);
    assert.deepEqual([preview.body.data.total.cost_now, preview.body.data.total.cost_then], [0.0225, 0.03]);
    const { body } = await organization.send('PUT', `${rules}/${id}`, changed);
    const inOrder = changed.later_rates.toReversed();
    assert.deepEqual([body.data.usd_per_minute, body.data.later_rates], [0.001, inOrder]);
    assert.deepEqual((await organization.get(rules)).body.data[0].later_rates, inOrder);
    assert.equal(await reprice(), 0.03);
    const marked = await organization.get('/api/v1/annotations', { from: '2026-03-01', to: '2026-03-17' });
    assert.deepEqual(
      marked.body.data
        .map(({ text }: { text: string }) => text)
        .filter((text: string) => text.startsWith('New rate')),
      [
        'New rate: label box-2 is $0.002 per minute instead of $0.001',
        'New rate: label box-2 is $0.003 per minute instead of $0.002',
      ],
    );
    await organization.send('PUT', `${rules}/${id}`, { runner_kind: 'linux_2_core' });
    assert.deepEqual((await organization.get(rules)).body.data[0].later_rates, []);
  });

  test('need a rate before them, and one rate for each first day', async () => {
    const organization = await testApp.newOrganization();
    const refusal = async (fields: object) => {
      const { status, body } = await organization.send('POST', rules, { ...rule, ...fields });
      return [status, body.errors?.[0].path, body.errors?.[0].message];
    };
    const two = [later('2026-09-01', 0.002), later('2026-09-01', 0.003)];
    assert.deepEqual(await refusal({ later_rates: two }), [
      400,
      'body.later_rates[1].effective_from',
      'repeats 2026-09-01; give each first day one rate',
    ]);
    assert.deepEqual(await refusal({ usd_per_minute: null, later_rates: two.slice(1) }), [
      400,
      'body.usd_per_minute',
      'is required with later_rates: the rate until the first of them',
    ]);
    const kind = { usd_per_minute: null, name: null, runner_kind: 'linux_2_core' };
    assert.deepEqual(await refusal({ ...kind, later_rates: two }), [
      400,
      'body.later_rates',
      'cannot be combined with runner_kind',
    ]);
    const [status, path] = await refusal({ later_rates: [later('2026-02-30', 0.1)] });
    assert.deepEqual([status, path], [400, 'body.later_rates[0].effective_from']);
  });
});

test('rules apply in their order, which can be changed', async () => {
  const organization = await testApp.newOrganization();
  const kind = (runner_kind: string) => ({ match: 'label', runner_kind });
  const a = await addRule(organization, { ...kind('linux_4_core'), pattern: 'a' });
  await addRule(organization, { ...kind('linux_8_core'), pattern: 'b' });
  await addRule(organization, { ...kind('linux_16_core'), pattern: 'c', position: 1 });
  assert.deepEqual(await order(organization), ['c', 'a', 'b']);
  await organization.send('PUT', `${rules}/${a}`, { position: 3 });
  assert.deepEqual(await order(organization), ['c', 'b', 'a']);
  const beyond = await organization.send('PUT', `${rules}/${a}`, { position: 4 });
  assert.deepEqual(
    [beyond.status, beyond.body.errors],
    [400, [{ path: 'body.position', message: 'must be from 1 to 3' }]],
  );
  const last = { ...kind('linux_4_core'), pattern: 'd', position: 5 };
  const added = await organization.send('POST', rules, last);
  assert.deepEqual([added.status, added.body.errors[0].message], [400, 'must be from 1 to 4']);
  assert.deepEqual(await order(organization), ['c', 'b', 'a']);
  assert.equal((await receiptOf(organization, { labels: ['a', 'b'] })).runner_kind, 'linux_8_core');
  await organization.send('PUT', `${rules}/${a}`, { position: 1 });
  assert.equal((await receiptOf(organization, { labels: ['a', 'b'] })).runner_kind, 'linux_4_core');
});

test('an equal rule is refused with the id and place of the one that exists', async () => {
  const organization = await testApp.newOrganization();
  const rule = { match: 'label', pattern: 'Big', name: 'Big', usd_per_minute: 0.1, rounding: 'second' };
  const other = await addRule(organization, { ...rule, rounding: 'minute' });
  const id = await addRule(organization, rule);
  await addRule(organization, { ...rule, match: 'regex' });
  const again = { ...rule, pattern: 'BIG', name: 'Another name' };
  const changed = { rounding: 'second' };
  for (const [method, path, body] of [
    ['POST', rules, again],
    ['PUT', `${rules}/${other}`, changed],
  ] as const) {
    const refused = await organization.send(method, path, body);
    assert.deepEqual([refused.status, refused.body.code], [409, 'price_rule_exists']);
    assert.equal(refused.body.detail, `Rule ${id} at position 2 has the same condition and price.`);
  }
  assert.equal((await organization.get(rules)).body.data.length, 3);
});

test('the highest rate and the longest jobs can still be summed up', async () => {
  const organization = await testApp.newOrganization();
  const rate = { match: 'label', pattern: 'gold', name: 'Gold', usd_per_minute: maxRate };
  await addRule(organization, rate);
  const times = { started_at: '2026-02-10T12:00:00Z', completed_at: '2026-03-17T12:00:00Z' };
  const jobs = Array.from({ length: 20 }, (_, id) =>
    newJob({ job_id: String(id), labels: ['gold'], ...times }),
  );
  const { status } = await submit(organization, newRun({ created_at: '2026-02-10T12:00:00Z', jobs }));
  assert.equal(status, 200);
  const { body } = await organization.get('/api/v1/dashboard/summary');
  assert.equal(body.total_cost, 20 * 35 * 24 * 60 * maxRate);
});

test('an empty change changes nothing', async () => {
  const organization = await testApp.newOrganization();
  const id = await addRule(organization, { match: 'label', pattern: 'x', runner_kind: 'linux_4_core' });
  await addRule(organization, { match: 'label', pattern: 'y', name: 'Y', usd_per_minute: 0.1 });
  const before = (await organization.get(rules)).body;
  const entries = async () => (await organization.get('/api/v1/audit-log')).body.pagination.total;
  const count = await entries();
  testApp.clock.forward(60);
  for (const rule of before.data) {
    for (const body of [rule, {}, { position: rule.position }, { pattern: rule.pattern }]) {
      assert.deepEqual((await organization.send('PUT', `${rules}/${rule.id}`, body)).body.data, rule);
    }
  }
  assert.deepEqual([(await organization.get(rules)).body, await entries()], [before, count]);
  await organization.send('PUT', `${rules}/${id}`, { position: 2 });
  const { body } = await organization.get('/api/v1/audit-log');
  assert.deepEqual(body.data[0].details, { position: 2, before: { position: 1 } });
});

test('a change keeps other fields, and a rate replaces a runner kind', async () => {
  const organization = await testApp.newOrganization();
  const id = await addRule(organization, { match: 'label', pattern: 'x', runner_kind: 'linux_4_core' });
  const rated = await organization.send('PUT', `${rules}/${id}`, { name: 'X', usd_per_minute: 0.001 });
  const { created_at: _, updated_at: __, ...shown } = rated.body.data;
  assert.deepEqual(shown, {
    id,
    position: 1,
    match: 'label',
    pattern: 'x',
    runner_kind: null,
    name: 'X',
    usd_per_minute: 0.001,
    later_rates: [],
    rounding: null,
  });
  const kind = await organization.send('PUT', `${rules}/${id}`, { runner_kind: 'self_hosted' });
  assert.deepEqual(
    [kind.body.data.runner_kind, kind.body.data.name, kind.body.data.usd_per_minute],
    ['self_hosted', null, null],
  );
  // The response of GET can be sent back.
  const again = await organization.send('PUT', `${rules}/${id}`, kind.body.data);
  assert.equal(again.status, 200, again.text);
});

describe('a rule is refused', () => {
  const whole = { match: 'label', pattern: 'x', runner_kind: 'linux_4_core' };
  const faults: [why: string, body: object, path: string][] = [
    ['without a match', { ...whole, match: undefined }, 'body.match'],
    ['without a pattern', { ...whole, pattern: undefined }, 'body.pattern'],
    ['with a pattern that looks around', { ...whole, match: 'regex', pattern: '(?=x)' }, 'body.pattern'],
    ['with a pattern that cannot be seen', { ...whole, pattern: ' \u200B' }, 'body.pattern'],
    [
      'with a pattern that grows by its counts',
      { ...whole, match: 'regex', pattern: '(.{31}){31}' },
      'body.pattern',
    ],
    [
      'with a rate above all',
      { ...whole, runner_kind: null, name: 'X', usd_per_minute: 101 },
      'body.usd_per_minute',
    ],
    ['without a kind or a rate', { ...whole, runner_kind: undefined }, 'body.usd_per_minute'],
    ['with a rate but no name', { ...whole, runner_kind: null, usd_per_minute: 1 }, 'body.name'],
    ['with a kind and a rate', { ...whole, usd_per_minute: 1 }, 'body.usd_per_minute'],
    ['with a kind nobody knows', { ...whole, runner_kind: 'big' }, 'body.runner_kind'],
    [
      'with too fine a rate',
      { ...whole, runner_kind: null, name: 'X', usd_per_minute: 1e-10 },
      'body.usd_per_minute',
    ],
  ];
  for (const [why, body, path] of faults) {
    test(why, async () => {
      const organization = await testApp.newOrganization();
      const answer = await organization.send('POST', rules, body);
      assert.equal(answer.status, 400, answer.text);
      assert.equal(answer.body.errors[0].path, path);
    });
  }
});

test('rules are hidden from other organizations, only admins change them, and changes are audited', async () => {
  const organization = await testApp.newOrganization();
  const stranger = await testApp.newOrganization();
  const id = await addRule(organization, { match: 'label', pattern: 'x', runner_kind: 'linux_4_core' });
  assert.equal((await stranger.send('PUT', `${rules}/${id}`, { position: 1 })).status, 404);
  assert.equal((await stranger.send('DELETE', `${rules}/${id}`)).status, 404);
  assert.deepEqual((await stranger.get(rules)).body.data, []);
  const member = await organization.newToken('member');
  assert.equal((await organization.send('DELETE', `${rules}/${id}`, undefined, member)).status, 403);
  await organization.send('PUT', `${rules}/${id}`, { pattern: 'y' });
  await organization.send('DELETE', `${rules}/${id}`);
  const { body } = await organization.get('/api/v1/audit-log');
  assert.deepEqual(
    body.data
      .map(({ action }: { action: string }) => action)
      .filter((action: string) => action.startsWith('price_rule')),
    ['price_rule.delete', 'price_rule.update', 'price_rule.create'],
  );
});
