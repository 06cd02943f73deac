/** Alerts on a part of the organization's costs: a repository, a workflow, a branch or a team. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  checkAlert,
  createAlert,
  eventsOf,
  newAlert,
  spend,
  triggersOf,
} from '../../../test/harness/alerts.ts';
import { startTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { openChat, openMailbox } from '../../../test/harness/receivers.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';
import { addDays } from '../../platform/lib/days.ts';
import { announceThresholds, announceSlowThresholds } from './thresholds.ts';

const mailbox = await openMailbox();
const testApp = await startTestApp({ SMTP_URL: mailbox.url, EMAIL_FROM: 'Runcost <alerts@runcost.test>' });
const { app, clock, worker } = testApp;

type Named = { type: string; value?: string; repository?: string; name?: string };

const web = { repo_name: 'acme/web' };
const ofBranch = (branch: string) => ({ branch });

async function workflowId(organization: TestOrganization, name: string, repository: string): Promise<string> {
  const { workflows } = (await organization.get('/api/v1/dashboard/workflows')).body;
  return workflows.find(
    (one: Record<string, string>) => one.workflow_name === name && one.repo_name === repository,
  ).workflow_id;
}

/** Eleven dollars in each scope below, and fifty outside it. */
async function spendInScope(organization: TestOrganization): Promise<void> {
  const rule = { kind: 'team', owner: 'Platform', repository: 'acme/api', valid_from: '2026-03-01' };
  const added = await organization.send('POST', '/api/v1/ownership/rules', rule);
  assert.equal(added.status, 201, added.text);
  const at = (dollars: number, day: string, workflow: string, fields: object) =>
    spend(organization, dollars, day, workflow, '01:00:00', fields);
  await at(11, '2026-03-17', 'Deploy', { repo_name: 'Acme/API', branch: 'release/1.2', actor: 'Copilot' });
  await at(50, '2026-03-17', 'Build', { ...web, branch: 'main' });
}

const scopes: { title: string; scope: (ids: { deploy: string }) => Named; text: string; spender: string }[] =
  [
    {
      title: 'a repository, in any case',
      scope: () => ({ type: 'repository', value: 'acme/api' }),
      text: 'acme/api',
      spender: 'acme/api',
    },
    {
      title: 'repositories of a pattern',
      scope: () => ({ type: 'repository', value: '*/a*' }),
      text: '*/a*',
      spender: '*/a*',
    },
    {
      title: 'a workflow',
      scope: ({ deploy }) => ({ type: 'workflow', value: deploy, name: 'Deploy (Acme/API)' }),
      text: 'Deploy (Acme/API)',
      spender: 'Deploy (Acme/API)',
    },
    {
      title: 'branches of a pattern',
      scope: () => ({ type: 'branch', value: 'release/*' }),
      text: 'branch release/*',
      spender: 'Branch release/*',
    },
    {
      title: 'a branch of a repository',
      scope: () => ({ type: 'branch', value: 'release/1.2', repository: 'acme/api' }),
      text: 'branch release/1.2 of acme/api',
      spender: 'Branch release/1.2 of acme/api',
    },
    {
      title: 'a team',
      scope: () => ({ type: 'team', value: 'Platform' }),
      text: 'team Platform',
      spender: 'Team Platform',
    },
    {
      title: 'agents',
      scope: () => ({ type: 'actor_kind', value: 'agent' }),
      text: 'actor kind agent',
      spender: 'Actor kind agent',
    },
  ];

describe('a budget', () => {
  for (const { title, scope: scopeOf, text, spender } of scopes) {
    test(`of ${title} counts only that, and every message names it`, async () => {
      const chat = await openChat();
      const organization = await testApp.newOrganization();
      await organization.send('POST', '/api/v1/members', { email: 'boss@acme.test', role: 'owner' });
      const chat_webhook = { url: chat.url, format: 'json' };
      await organization.send('PUT', '/api/v1/organization', { chat_webhook });
      clock.set('2026-03-18T12:00:00Z');
      await spendInScope(organization);
      const scope = scopeOf({ deploy: await workflowId(organization, 'Deploy', 'Acme/API') });
      const { name: _, ...given } = scope;
      const created = await createAlert(organization, { scope: given });
      assert.equal(created.status, 201, created.text);
      assert.deepEqual(created.body.scope, scope);
      const { id } = created.body;
      const { current_value, triggered } = await checkAlert(organization, id);
      assert.deepEqual([current_value, triggered], [11, true]);

      const [trigger] = await triggersOf(organization, id);
      assert.deepEqual(trigger.scope, scope);
      const { data } = (await organization.get(`/api/v1/alerts/${id}/triggers/${trigger.id}`)).body;
      assert.deepEqual([data.observed, data.explanation.observed, data.explanation.change], [11, 11, 11]);
      assert.deepEqual(
        data.explanation.workflows.map(({ workflow_name }: Record<string, string>) => workflow_name),
        ['Deploy'],
      );
      const [event] = await eventsOf(testApp, organization, 'alert.triggered');
      assert.deepEqual(event.data.scope, scope);
      await organization.send('PUT', `/api/v1/alerts/${id}`, { threshold_amount: 20 });
      const [resolved] = await eventsOf(testApp, organization, 'alert.resolved');
      assert.deepEqual(resolved.data.scope, scope);

      const [mail] = mailbox.mails.splice(0);
      assert.equal(mail!.email.subject, `Budget exceeded: CI budget for ${text} ($11.00, threshold $10.00)`);
      const sentence = `${spender} has spent $11.00, which is $1.00 over the budget of $10.00.`;
      assert.ok(mail!.email.text!.replaceAll('\n', ' ').includes(sentence), mail!.email.text);
      assert.ok(mail!.email.html!.includes(sentence), mail!.email.html);
      assert.deepEqual((chat.bodies[0] as { scope: object }).scope, { ...scope, text });

      await spend(organization, 5, '2026-03-18', 'Deploy', '01:00:00', {
        repo_name: 'Acme/API',
        branch: 'release/1.2',
        actor: 'Copilot',
      });
      await announceThresholds(app);
      await announceSlowThresholds(app);
      const shares = await eventsOf(testApp, organization, 'cost.threshold');
      assert.deepEqual(
        shares.map(({ data: share }) => [share.threshold.percentage, share.threshold.current_spend]),
        [...[50, 75, 90, 100].map((percentage) => [percentage, 11]), [75, 16]],
      );
      assert.deepEqual(shares[0].data.scope, { ...scope, org: 'acme' });
      assert.equal(shares[0].data.alert_id, id);
    });
  }

  test('is checked on its schedule, in the time of its organization', async () => {
    const organization = await testApp.newOrganization();
    clock.set('2026-03-18T12:00:00Z');
    const scope = { type: 'branch', value: 'release/*' };
    const ids = [await newAlert(organization, { scope }), await newAlert(organization, { scope })];
    await spendInScope(organization);
    const rows = await app.db
      .selectFrom('alerts')
      .select('nextCheckAt')
      .where('orgId', '=', organization.orgId)
      .execute();
    assert.equal(new Set(rows.map(({ nextCheckAt }) => nextCheckAt.getTime())).size, 1);
    clock.set('2026-03-19T00:06:00Z');
    await worker.processAll();
    for (const id of ids) assert.equal((await triggersOf(organization, id))[0].current_value, 11);
  });

  test('of a team is judged again when rules give the team other costs', async () => {
    const organization = await testApp.newOrganization();
    clock.set('2026-03-18T12:00:00Z');
    await spendInScope(organization);
    await newAlert(organization, { scope: { type: 'team', value: 'Platform' }, threshold_amount: 100 });
    await announceSlowThresholds(app);
    assert.deepEqual(await eventsOf(testApp, organization, 'cost.threshold'), []);
    const rule = { kind: 'team', owner: 'Platform', repository: 'acme/web' };
    await organization.send('POST', '/api/v1/ownership/rules', rule);
    await announceSlowThresholds(app);
    const shares = await eventsOf(testApp, organization, 'cost.threshold');
    assert.deepEqual(
      shares.map(({ data }) => [data.threshold.percentage, data.threshold.current_spend]),
      [[50, 61]],
    );
  });

  test('that gets another scope resolves its trigger, and announces the shares of the new one', async () => {
    const organization = await testApp.newOrganization();
    clock.set('2026-03-18T12:00:00Z');
    await spendInScope(organization);
    const id = await newAlert(organization, { scope: { type: 'repository', value: 'acme/web' } });
    assert.equal((await checkAlert(organization, id)).current_value, 50);
    const changed = await organization.send('PUT', `/api/v1/alerts/${id}`, {
      scope: { type: 'branch', value: 'release/*' },
    });
    assert.deepEqual([changed.status, changed.body.state], [200, 'ok']);
    const [trigger] = await triggersOf(organization, id);
    assert.deepEqual([trigger.resolution, trigger.scope.value], ['alert_changed', 'acme/web']);
    await worker.processAll();
    const shares = await eventsOf(testApp, organization, 'cost.threshold');
    assert.deepEqual(
      shares.map(({ data }) => [data.scope.value, data.threshold.percentage]),
      ['acme/web', 'release/*'].flatMap((value) =>
        [50, 75, 90, 100].map((percentage) => [value, percentage]),
      ),
    );
    assert.equal((await checkAlert(organization, id)).current_value, 11);
    const back = await organization.send('PUT', `/api/v1/alerts/${id}`, {
      scope: { type: 'organization' },
    });
    assert.deepEqual(back.body.scope, { type: 'organization' });
    assert.equal((await checkAlert(organization, id)).current_value, 61);
    assert.equal((await triggersOf(organization, id)).length, 3);
  });

  test('accepts its own representation back, with the name of its workflow', async () => {
    const organization = await testApp.newOrganization();
    clock.set('2026-03-18T12:00:00Z');
    await spendInScope(organization);
    const value = await workflowId(organization, 'Deploy', 'Acme/API');
    const { body } = await createAlert(organization, { scope: { type: 'workflow', value } });
    const same = await organization.send('PUT', `/api/v1/alerts/${body.id}`, body);
    assert.deepEqual([same.status, same.body], [200, body]);
  });
});

describe('an anomaly', () => {
  test('compares a scope with its own history', async () => {
    const organization = await testApp.newOrganization();
    clock.set('2026-03-18T12:00:00Z');
    for (let ago = 28; ago > 0; ago--) {
      const day = addDays('2026-03-18', -ago);
      await spend(organization, 10, day, 'Build', '02:00:00', web);
      await spend(organization, ago === 1 ? 4 : 2, day, 'Build', '01:00:00', ofBranch('release/1'));
    }
    const anomaly = { alert_type: 'anomaly', threshold_amount: 50 };
    const whole = await newAlert(organization, anomaly);
    const part = await newAlert(organization, { ...anomaly, scope: { type: 'branch', value: 'release/*' } });
    const young = await newAlert(organization, {
      ...anomaly,
      scope: { type: 'repository', value: 'acme/n' },
    });
    clock.set('2026-03-18T00:06:00Z');
    await app.db
      .updateTable('alerts')
      .set({ nextCheckAt: clock.now() })
      .where('orgId', '=', organization.orgId)
      .execute();
    await worker.processAll();
    assert.deepEqual(await triggersOf(organization, whole), []);
    const [trigger] = await triggersOf(organization, part);
    assert.equal(trigger.current_value, 100);
    const { data } = (await organization.get(`/api/v1/alerts/${part}/triggers/${trigger.id}`)).body;
    assert.deepEqual([data.observed, data.baseline, data.explanation.change], [4, 2, 2]);
    assert.equal((await organization.get(`/api/v1/alerts/${young}`)).body.state, 'insufficient_data');
    // On demand, a part of the day with the same part of other days.
    clock.set('2026-03-18T00:30:00Z');
    const { baseline, state } = await checkAlert(organization, part);
    assert.deepEqual([baseline, state], [null, 'insufficient_data']);
    clock.set('2026-03-18T01:30:00Z');
    await spend(organization, 6, '2026-03-18', 'Build', '01:00:00', ofBranch('release/2'));
    const check = await checkAlert(organization, part);
    assert.deepEqual([check.observed, check.baseline, check.triggered], [6, 2, true]);
    const [now] = await triggersOf(organization, part);
    const explained = (await organization.get(`/api/v1/alerts/${part}/triggers/${now.id}`)).body.data;
    assert.deepEqual([explained.explanation.observed, explained.explanation.baseline], [6, 2]);
  });
});

const refused: [what: string, scope: object, path: string][] = [
  ['an unknown type', { type: 'project', value: 'x' }, 'body.scope.type'],
  ['no value', { type: 'repository' }, 'body.scope.value'],
  ['an empty value', { type: 'branch', value: '' }, 'body.scope.value'],
  ['a value of the organization', { type: 'organization', value: 'acme' }, 'body.scope.value'],
  ['a negation', { type: 'branch', value: '!main' }, 'body.scope.value'],
  ['a literal', { type: 'repository', value: '=acme/api' }, 'body.scope.value'],
  ['a repository of a workflow', { type: 'workflow', value: 'x', repository: 'y' }, 'body.scope.repository'],
  ['an unknown workflow', { type: 'workflow', value: 'wf_none' }, 'body.scope.value'],
  ['an unknown team', { type: 'team', value: 'platform' }, 'body.scope.value'],
  ['an unknown kind of actor', { type: 'actor_kind', value: 'robot' }, 'body.scope.value'],
  ['an unknown field', { type: 'branch', value: 'main', branch: 'x' }, 'body.scope.branch'],
];
for (const [what, scope, path] of refused) {
  test(`a scope with ${what} is refused, in an alert and in a preview`, async () => {
    const organization = await testApp.newOrganization();
    const preview = await organization.send('POST', '/api/v1/alerts/preview', {
      name: 'x',
      alert_type: 'budget',
      threshold_amount: 1,
      scope,
    });
    for (const answer of [await createAlert(organization, { scope }), preview]) {
      assertProblem(answer, 400, 'invalid_request');
      assert.equal(answer.body.errors[0].path, path);
    }
  });
}

test('the name of a workflow is refused with its id, and only with those of the organization', async () => {
  const [organization, stranger] = [await testApp.newOrganization(), await testApp.newOrganization()];
  clock.set('2026-03-18T12:00:00Z');
  await spendInScope(organization);
  const value = await workflowId(organization, 'Deploy', 'Acme/API');
  const named = await createAlert(organization, { scope: { type: 'workflow', value: 'deploy' } });
  assert.match(named.body.errors[0].message, new RegExp(`"deploy" is ${value} of Acme/API`));
  for (const text of ['deploy', value]) {
    const answer = await createAlert(stranger, { scope: { type: 'workflow', value: text } });
    assertProblem(answer, 400, 'invalid_request');
    assert.ok(!answer.text.includes('Acme/API'), answer.text);
  }
});

test('an alert on a team that no rule names any more says that it watches nothing, and resolves its trigger', async () => {
  const organization = await testApp.newOrganization();
  clock.set('2026-03-18T12:00:00Z');
  await spendInScope(organization);
  const scope = { type: 'team', value: 'Platform' };
  const { id, warnings } = (await createAlert(organization, { scope, notify_email: false })).body;
  assert.deepEqual(warnings, []);
  assert.equal((await checkAlert(organization, id)).triggered, true);
  const [rule] = (await organization.get('/api/v1/ownership/rules')).body.data;
  await organization.send('PUT', `/api/v1/ownership/rules/${rule.id}`, { owner: 'Core' });
  const seen = (await organization.get(`/api/v1/alerts/${id}`)).body;
  const checked = await organization.send('POST', `/api/v1/alerts/${id}/check`);
  for (const [warning, ...others] of [seen.warnings, checked.body.warnings]) {
    assert.match(warning, /watches nothing: no ownership rule names the team Platform any more/);
    assert.deepEqual(others, []);
  }
  assert.equal((await triggersOf(organization, id))[0].resolution, 'team_removed');
  const [resolved] = await eventsOf(testApp, organization, 'alert.resolved');
  assert.equal(resolved.data.resolution.reason, 'team_removed');
});

test('a trigger says how much of its cost are jobs that ran longer than their provider allows', async () => {
  const organization = await testApp.newOrganization();
  await organization.send('POST', '/api/v1/members', { email: 'boss@acme.test', role: 'owner' });
  clock.set('2026-03-18T12:00:00Z');
  const stuck = { started_at: '2026-02-20T10:00:00Z', completed_at: '2026-03-17T10:00:00Z' };
  const jobs = [newJob(stuck)];
  await submit(organization, newRun({ created_at: stuck.started_at, jobs, repo_name: 'acme/stuck' }));
  await spend(organization, 1, '2026-03-17');
  // 370 minutes of the stuck job, and a dollar.
  const [ofAll, ofOther] = [
    await newAlert(organization, { threshold_amount: 3.9 }),
    await newAlert(organization, {
      threshold_amount: 0.9,
      scope: { type: 'repository', value: 'acme/api' },
    }),
  ];
  assert.equal((await checkAlert(organization, ofAll)).current_value, 3.96);
  assert.equal((await checkAlert(organization, ofOther)).current_value, 1);
  const sent = (await eventsOf(testApp, organization, 'alert.triggered')).map(({ data }) => data.trigger);
  assert.deepEqual(
    sent.map((trigger) => trigger.over_time_limit),
    [{ jobs: 1, cost: 2.96 }, undefined],
  );
  for (const [id, expected] of [
    [ofAll, { jobs: 1, cost: 2.96 }],
    [ofOther, { jobs: 0, cost: 0 }],
  ] as const) {
    const [trigger] = await triggersOf(organization, id);
    const { body } = await organization.get(`/api/v1/alerts/${id}/triggers/${trigger.id}`);
    assert.deepEqual((body.data ?? body).over_time_limit, expected);
  }
  const [mail, other] = mailbox.mails.splice(0).map(({ email }) => email.text);
  const words = /\$2\.96 of it: 1 job is longer than the provider allows/;
  assert.match(mail!, words);
  assert.doesNotMatch(other!, words);
});
