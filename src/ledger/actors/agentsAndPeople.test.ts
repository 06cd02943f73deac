import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { startTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { newSource } from '../../../test/harness/source.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';
import { gitHubJob, gitHubRun } from '../../../test/payloads/gitHub.ts';

const testApp = await startTestApp();
testApp.clock.set('2026-11-21T12:00:00Z');

type Costs = { total: { value: number }; groups: { by: { value: string | null }[]; value: number }[] };

async function costs(organization: TestOrganization, query: object): Promise<Costs> {
  const answer = await organization.get('/api/v1/costs', { limit: 100, ...query });
  assert.equal(answer.status, 200, answer.text);
  return answer.body.data as Costs;
}

async function by(organization: TestOrganization, dimension: string, query = {}) {
  const { groups } = await costs(organization, { group_by: dimension, ...query });
  return Object.fromEntries(groups.map(({ by: [first], value }) => [first!.value ?? '', value]));
}

/** A run of one attempt on Linux, which costs $0.006 a minute in November 2026. */
function attempt(
  runId: number,
  fields: { actor: string; triggeredBy?: string; path?: string; event?: string; run_attempt?: number },
  minutes: number,
) {
  const run_attempt = fields.run_attempt ?? 1;
  const hour = 9 + run_attempt;
  const started_at = `2026-11-20T${hour}:00:00Z`;
  const completed_at = `2026-11-20T${hour}:${String(minutes - 1).padStart(2, '0')}:30Z`;
  const name = fields.path ? 'Copilot cloud agent' : 'CI';
  const shared = { run_attempt, created_at: '2026-11-20T10:00:00Z' };
  return [
    [
      'workflow_job',
      gitHubJob({
        ...shared,
        id: runId * 10 + run_attempt,
        run_id: runId,
        workflow_name: name,
        created_at: started_at,
        started_at,
        completed_at,
      }),
    ],
    ['workflow_run', gitHubRun({ ...shared, ...fields, id: runId, name, run_started_at: started_at })],
  ] as const;
}

/** Of the agent's run, on its page and in lists. */
async function kindsShown(organization: TestOrganization) {
  const kindsIn = async (path: string, query = {}) => {
    const { body, status, text } = await organization.get(`/api/v1/${path}`, query);
    assert.equal(status, 200, text);
    type Row = { actor_kind: string; started_by: string };
    const rows = (body.data as Row[]).filter(({ started_by: starter }) => starter === 'Copilot');
    return rows.map(({ actor_kind: kind }) => kind);
  };
  const { data } = (await organization.get('/api/v1/runs/run_github_1')).body;
  return {
    run: data.actor_kind,
    ofJobs: data.jobs.map((job: { actor_kind: string }) => job.actor_kind),
    listed: {
      runs: await kindsIn('costs/runs', { actor_kind: 'person' }),
      jobs: await kindsIn('costs/jobs'),
      recent: await kindsIn('runs'),
    },
  };
}

const agent = { actor: 'Copilot', path: 'dynamic/copilot-swe-agent/copilot', event: 'dynamic' };
const events = [
  ...attempt(1, agent, 10),
  ...attempt(2, { actor: 'dependabot[bot]', event: 'pull_request' }, 5),
  ...attempt(3, { actor: 'renovate[bot]', event: 'pull_request' }, 5),
  ...attempt(4, { actor: 'mona' }, 15),
  ...attempt(1, { ...agent, triggeredBy: 'mona', run_attempt: 2 }, 5),
];

test('agents cause a quarter, bots a quarter and people half, of which one re-runs an agent', async () => {
  for (const order of [events, events.toReversed()]) {
    const organization = await testApp.newOrganization();
    await organization.send('PUT', '/api/v1/pricing', { book_id: 'github_by_date' });
    const { deliver } = await newSource(testApp, organization);
    for (const [event, payload] of order) {
      assert.equal((await deliver(event, payload)).status, 202);
      await by(organization, 'actor_kind');
    }
    assert.equal((await costs(organization, { group_by: 'actor_kind' })).total.value, 0.24);
    assert.deepEqual(await by(organization, 'actor_kind'), { person: 0.12, agent: 0.06, bot: 0.06 });
    assert.deepEqual(await by(organization, 'started_by', { actor_kind: 'person' }), {
      mona: 0.09,
      Copilot: 0.03,
    });
    assert.deepEqual(await by(organization, 'actor_kind', { started_by: 'Copilot' }), {
      agent: 0.06,
      person: 0.03,
    });
    assert.deepEqual(await by(organization, 'actor', { actor_kind: '!person' }), {
      Copilot: 0.06,
      'dependabot[bot]': 0.03,
      'renovate[bot]': 0.03,
    });
    const { run, ofJobs, listed } = await kindsShown(organization);
    assert.deepEqual([run, ...ofJobs], ['person', 'agent', 'person']);
    assert.deepEqual(listed, { runs: ['person'], jobs: ['person', 'agent'], recent: ['person'] });
    const wrong = await organization.get('/api/v1/costs', { actor_kind: 'human' });
    assert.equal(wrong.status, 400);
    assert.match(wrong.body.detail, /person, bot, agent/);
  }
});

test("GitHub's `type: Bot` makes a name a bot, whichever report says so", async () => {
  const organization = await testApp.newOrganization();
  const { deliver } = await newSource(testApp, organization);
  const payload = gitHubRun({ id: 5, name: 'CI', actor: 'acme-helper' });
  await deliver('workflow_run', payload);
  await deliver('workflow_job', gitHubJob({ id: 51, run_id: 5, workflow_name: 'CI' }));
  assert.deepEqual(await by(organization, 'actor_kind', { metric: 'jobs' }), { person: 1 });
  const run = payload['workflow_run'] as object;
  const bot = { login: 'acme-helper', type: 'Bot' };
  await deliver('workflow_run', {
    ...payload,
    workflow_run: { ...run, actor: bot, triggering_actor: bot, updated_at: '2026-11-20T10:02:00Z' },
  });
  assert.deepEqual(await by(organization, 'actor_kind', { metric: 'jobs' }), { bot: 1 });
});

const anyRun = fc.record({
  actor: fc.constantFrom('mona', 'Copilot', 'dependabot[bot]', 'acme-helper', undefined),
  started_by: fc.constantFrom('ada', 'claude[bot]', undefined),
  event: fc.constantFrom('push', 'schedule'),
  hour: fc.integer({ min: 0, max: 60 }),
  minutes: fc.integer({ min: 0, max: 90 }),
  runner: fc.constantFrom('linux_2_core', 'macos_3_core'),
});
const anyPatterns = fc.uniqueArray(
  fc.record({
    pattern: fc.constantFrom('acme-*', 'mona', 'copilot', 'dependabot*', '*a*'),
    kind: fc.constantFrom('person', 'bot', 'agent'),
  }),
  { selector: ({ pattern }) => pattern, maxLength: 3 },
);

test('kinds of actors partition every total to the last digit, also net and after a change of patterns', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyRun, { minLength: 1, maxLength: 8 }),
      anyPatterns,
      async (runs, patterns) => {
        const organization = await testApp.newOrganization();
        const terms = { discount_percent: 33 };
        await organization.send('PUT', '/api/v1/pricing/terms', terms);
        const first = Date.parse('2026-11-18T00:00:00Z');
        for (const [index, { hour, minutes, runner, ...run }] of runs.entries()) {
          const started_at = new Date(first + hour * 3_600_000);
          const completed_at = new Date(started_at.getTime() + minutes * 60_000);
          const job = newJob({ runner, started_at, completed_at });
          await submit(
            organization,
            newRun({
              ...run,
              provider: 'github',
              run_id: String(index),
              created_at: started_at,
              started_at,
              jobs: [job],
            }),
          );
        }
        const nanos = (value: number) => BigInt(Math.round(value * 1e9));
        const check = async () => {
          for (const metric of ['cost', 'net_cost', 'minutes', 'jobs', 'runs']) {
            const plain = await costs(organization, { metric });
            const { total, groups } = await costs(organization, { metric, group_by: 'actor_kind' });
            assert.equal(total.value, plain.total.value);
            assert.equal(
              groups.reduce((sum, { value }) => sum + nanos(value), 0n),
              nanos(total.value),
            );
            for (const {
              by: [kind],
              value,
            } of groups) {
              const only = await costs(organization, { metric, actor_kind: kind!.value ?? '' });
              assert.equal(only.total.value, value);
            }
          }
        };
        await check();
        for (const pattern of patterns) await organization.send('POST', '/api/v1/actors/patterns', pattern);
        await check();
      },
    ),
    { numRuns: 6 },
  );
});
