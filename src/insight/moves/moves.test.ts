import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { request, sharedTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { daily } from '../../../test/harness/ciHistory.ts';
import type { Json } from '../../../test/harness/commands.ts';
import { assertProblem } from '../../../test/harness/problem.ts';

const testApp = await sharedTestApp();
const path = '/api/v1/moves';

const large = ['ubuntu-latest-4-cores'];
const onLarge = (name: string, minutes: number) => ({
  name,
  minutes,
  labels: large,
  group: 'Default Larger Runners',
});

/** Each day of 30: test on 4 cores for 8 minutes, and twenty times on 2 cores for 10. */
const history = [
  ...daily('2026-02-17', '2026-03-18', { jobs: [onLarge('test', 8), { name: 'lint', minutes: 1 }] }, '05:00'),
  ...daily('2026-02-20', '2026-03-11', { branch: 'smaller', jobs: [{ name: 'test', minutes: 10 }] }, '06:00'),
];

async function recorded(reports = history): Promise<TestOrganization> {
  const organization = await testApp.newOrganization({ plan: 'team' });
  await testApp.app.recorder.record(organization.orgId, reports);
  return organization;
}

const moves = async (organization: TestOrganization, query: Record<string, string | number> = {}) => {
  const answer = await organization.get(path, query);
  assert.equal(answer.status, 200, answer.text);
  return answer.body.data;
};

describe('a measured move', () => {
  test('says what a month costs on both runners, how sure that is, and what moving back would not save', async () => {
    const data = await moves(await recorded());
    const [move] = data.moves;
    assert.deepEqual(
      [move.state, move.from.runner, move.to.runner, move.job_count],
      ['move', 'linux_4_core', 'linux_2_core', 1],
    );
    // At $0.016 and $0.008 a minute, 30 times 8 minutes and 30 times 10.
    assert.deepEqual([move.cost_now, move.cost_then, move.saving_per_month], [3.84, 2.4, 1.44]);
    assert.deepEqual(move.speed, { factor: 1.25, low: 1.25, high: 1.25, runs_before: 30, runs_after: 20 });
    assert.equal(move.break_even, 2);
    assert.equal(data.saving_per_month, 1.44);
    assert.equal(
      move.text,
      'Move 1 job from Linux 4-core to Linux 2-core: saves $1.44 of $3.84 a month. There it takes 1.25 times as long (1.25 to 1.25).',
    );
    assert.deepEqual(
      data.moves.filter(({ state }: Json) => state === 'stay'),
      [],
    );
  });

  test("leaves out each workflow's unusual days, and says so", async () => {
    const spike = daily('2026-03-16', '2026-03-16', { jobs: [onLarge('soak', 300)] }, '08:00');
    const data = await moves(await recorded([...history, ...spike]));
    assert.deepEqual(data.left_out_days, ['2026-03-16']);
    assert.deepEqual(data.assumptions.slice(0, 2), [
      'A month is 30 days like those from Feb 17, 2026 to Mar 18, 2026 (30 days).',
      "A month leaves out each workflow's unusual days.",
    ]);
  });

  test('divides by the days that have history if it is younger, and says so', async () => {
    const data = await moves(
      await recorded([
        ...daily('2026-03-09', '2026-03-18', { jobs: [onLarge('test', 8)] }, '05:00'),
        ...daily(
          '2026-03-09',
          '2026-03-14',
          { branch: 'smaller', jobs: [{ name: 'test', minutes: 10 }] },
          '06:00',
        ),
      ]),
    );
    assert.deepEqual([data.period.start, data.period.days], ['2026-03-09', 10]);
    assert.deepEqual([data.moves[0].cost_now, data.moves[0].saving_per_month], [3.84, 1.44]);
    assert.equal(
      data.assumptions[0],
      'A month is 30 days like those from Mar 9, 2026 to Mar 18, 2026 (10 days). Nothing is recorded before.',
    );
  });

  test('needs five successes on each runner', async () => {
    const few = [
      ...daily('2026-02-17', '2026-03-18', { jobs: [onLarge('test', 8)] }, '05:00'),
      ...daily('2026-03-08', '2026-03-11', { jobs: [{ name: 'test', minutes: 10 }] }, '06:00'),
    ];
    const data = await moves(await recorded(few));
    const [first] = data.moves;
    assert.deepEqual([first.state, first.cost_then, first.speed], ['trial', null, null]);
    assert.equal(data.saving_per_month, 0);
  });

  test('saves nothing while included minutes pay for it, and asks for no trial then', async () => {
    const organization = await recorded([
      ...daily('2026-02-17', '2026-03-18', { jobs: [{ name: 'test', minutes: 20 }] }, '05:00'),
      ...daily(
        '2026-02-20',
        '2026-03-11',
        { jobs: [{ name: 'test', minutes: 21, labels: ['ubuntu-24.04-arm'] }] },
        '06:00',
      ),
    ]);
    const statesOf = async () => (await moves(organization)).moves.map(({ state }: Json) => state);
    assert.deepEqual(await statesOf(), ['move']);
    const include = (minutes: number) =>
      organization.send('PUT', '/api/v1/pricing/terms', { terms: [{ included_minutes: { minutes } }] });
    await include(2_000);
    const data = await moves(organization);
    assert.deepEqual([data.moves[0].state, data.saving_per_month], ['covered', 0]);
    assert.match(data.assumptions.join(), /Included minutes paid all standard runners/);
    const other = await recorded(
      daily('2026-02-17', '2026-03-18', { jobs: [{ name: 'test', minutes: 20 }] }, '05:00'),
    );
    assert.equal((await moves(other, { state: 'trial' })).moves.length, 2);
    await other.send('PUT', '/api/v1/pricing/terms', { terms: [{ included_minutes: { minutes: 2_000 } }] });
    assert.deepEqual((await moves(other)).moves, []);
    await include(10);
    assert.deepEqual(await statesOf(), ['move']);
  });

  test('saves no discount', async () => {
    const organization = await recorded();
    const terms = { terms: [{ provider: 'github', discount_percent: 0, effective_from: '2026-01-01' }] };
    await organization.send('PUT', '/api/v1/pricing/terms', terms);
    assert.equal((await moves(organization)).saving_per_month, 1.44);
    await organization.send('PUT', '/api/v1/pricing/terms', {
      terms: [{ ...terms.terms[0], discount_percent: 50 }],
    });
    assert.equal((await moves(organization)).saving_per_month, 0.72);
  });
});

describe('what nobody measured', () => {
  test('is a trial, at the price list or as a dated hint', async () => {
    const data = await moves(await recorded(), { state: 'trial' });
    const hinted = data.moves.find(({ to }: Json) => to.price_source === 'hint');
    assert.equal(hinted, undefined, 'lint costs less than $1 a month');
    const busy = daily('2026-02-17', '2026-03-18', { jobs: [onLarge('test', 40)] }, '05:00');
    const found = (await moves(await recorded(busy))).moves;
    assert.deepEqual(
      found.map(({ state, to, saving_per_month: saving }: Json) => [state, to.price_source, saving]),
      [
        ['trial', 'hint', 0],
        ['trial', 'price_list', 0],
      ],
    );
    assert.match(found[0].to.price_note, /^https:.*, read on 2026-\d\d-\d\d$/);
    assert.match(found[0].text, /The price of .* is a hint, read on \w+ \d+, 2026/);
  });

  test('costs what the contract says of credits, like what runs now', async () => {
    const job = { name: 'test', minutes: 60, labels: ['large'] };
    const organization = await recorded(
      daily('2026-02-17', '2026-03-18', { provider: 'circleci', jobs: [job] }, '05:00'),
    );
    const terms = [{ provider: 'circleci', usd_per_credit: 0.0001 }];
    await organization.send('PUT', '/api/v1/pricing/terms', { terms });
    const [trial] = (await moves(organization, { state: 'trial' })).moves;
    assert.deepEqual(
      [trial.from.runner, trial.cost_now, trial.to.runner, trial.to.usd_per_minute],
      ['circleci_docker_large', 3.6, 'circleci_docker_medium', 0.001],
    );
  });

  test('a measured runner of another company saves at its hint, which the answer says', async () => {
    const rented = { name: 'test', minutes: 8, labels: ['blacksmith-4vcpu-ubuntu-2404'], group: 'Default' };
    const data = await moves(
      await recorded([
        ...daily('2026-02-17', '2026-03-18', { jobs: [onLarge('test', 8)] }, '05:00'),
        ...daily('2026-02-17', '2026-03-10', { branch: 'rented', jobs: [rented] }, '07:00'),
      ]),
    );
    const [move] = data.moves;
    assert.deepEqual([move.state, move.to.title, move.saving_per_month], ['move', rented.labels[0], 1.92]);
    assert.ok(data.assumptions.includes('$1.92 of the savings are at prices that are hints.'));
  });

  test('own machines have a price only with a shadow rate', async () => {
    const own = { name: 'test', minutes: 6, labels: ['self-hosted', 'big'], group: 'Default' };
    const organization = await recorded([
      ...history,
      ...daily('2026-02-17', '2026-03-10', { branch: 'own', jobs: [own] }, '07:00'),
    ]);
    const targets = async () =>
      (await moves(organization)).moves.map(({ to, state }: Json) => [state, to.runner, to.price_source]);
    assert.deepEqual((await targets())[0], ['move', 'linux_2_core', 'price_list']);
    const rates = [{ runner_kind: 'self_hosted', usd_per_minute: 0.001 }];
    await organization.send('PUT', '/api/v1/pricing/shadow-rates', { rates });
    assert.deepEqual((await targets())[0], ['move', 'self_hosted big self-hosted', 'shadow_rate']);
  });
});

describe('the answer', () => {
  test('adds up to the last digit', async () => {
    const names = ['a', 'b', 'c'].flatMap((name) => [onLarge(name, 7.3), onLarge(`${name} (2)`, 11.9)]);
    const data = await moves(await recorded(daily('2026-02-19', '2026-03-18', { jobs: names }, '05:00')));
    for (const { cost_now: whole, jobs, minutes } of data.moves) {
      const sum = (key: string) => jobs.reduce((all: number, job: Json) => all + job[key], 0);
      assert.equal(sum('cost_now').toFixed(9), whole.toFixed(9));
      assert.equal(sum('minutes').toFixed(1), minutes.toFixed(1));
    }
  });

  test('is about one workflow or repository, and never about another organization', async () => {
    const organization = await recorded();
    const [{ jobs }] = (await moves(organization)).moves;
    const { workflow_id: id, workflow, repository, job } = jobs[0];
    assert.deepEqual([workflow, repository, job], ['CI', 'acme/api', 'test']);
    assert.equal((await moves(organization, { workflow_id: id })).moves[0].state, 'move');
    assert.equal((await moves(organization, { repo: 'API' })).moves[0].state, 'move');
    assert.deepEqual((await moves(organization, { repo: 'other' })).moves, []);
    const stranger = await testApp.newOrganization();
    assert.deepEqual((await moves(stranger, { workflow_id: id })).moves, []);
  });

  test('refuses what is wrong, and whoever may not read costs', async () => {
    const organization = await testApp.newOrganization();
    assertProblem(await organization.get(path, { state: 'maybe' }), 400, 'invalid_request');
    assertProblem(await organization.get(path, { days: 0 }), 400, 'invalid_request');
    const token = await organization.newToken('viewer', ['alerts:read']);
    const headers = { authorization: `Bearer ${token}` };
    assertProblem(await request(testApp.server, { method: 'GET', url: path, headers }), 403, 'scope_missing');
    assertProblem(await request(testApp.server, { method: 'GET', url: path }), 401, 'token_missing');
  });
});
