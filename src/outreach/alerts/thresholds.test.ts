import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createAlert, eventsOf, newAlert, spend, triggersOf } from '../../../test/harness/alerts.ts';
import { startTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import type { NotificationContext } from '../notifications/context.ts';
import { createAlert as createAlertHere } from './alerts.ts';
import { announceSlowThresholds } from './thresholds.ts';

const testApp = await startTestApp();
const { app, clock, worker } = testApp;

describe('shares of a budget', () => {
  const percentages = async (organization: TestOrganization) =>
    (await eventsOf(testApp, organization, 'cost.threshold')).map(({ data }) => data.threshold.percentage);
  const announced = async (organization: TestOrganization) =>
    (await eventsOf(testApp, organization, 'cost.threshold')).map(({ data: { threshold } }) =>
      threshold.reached_before ? `${threshold.percentage} before` : threshold.percentage,
    );

  test('are announced soon after the cost arrives, each once a period', async () => {
    const organization = await testApp.newOrganization();
    clock.set('2026-03-18T12:00:00Z');
    const id = await newAlert(organization);
    await spend(organization, 4, '2026-03-17');
    await worker.processAll();
    assert.deepEqual(await percentages(organization), []);
    await spend(organization, 4, '2026-03-17');
    await worker.processAll();
    assert.deepEqual(await percentages(organization), [50, 75]);
    const [event] = await eventsOf(testApp, organization, 'cost.threshold');
    assert.deepEqual(event.data, {
      threshold: { percentage: 50, budget: 10, current_spend: 8 },
      measure: 'list_cost',
      scope: { type: 'organization', org: 'acme' },
      alert_id: id,
    });
    await spend(organization, 4, '2026-03-18');
    await worker.processAll();
    assert.deepEqual(await percentages(organization), [50, 75, 90, 100]);
    await spend(organization, 4, '2026-03-18');
    await worker.processAll();
    assert.equal((await percentages(organization)).length, 4);
    clock.set('2026-04-02T12:00:00Z');
    await spend(organization, 6, '2026-04-02');
    await worker.processAll();
    assert.deepEqual(await percentages(organization), [50, 75, 90, 100, 50]);
  });

  test('are announced once when costs and workers race', async () => {
    const organization = await testApp.newOrganization();
    clock.set('2026-03-18T12:00:00Z');
    await newAlert(organization);
    await Promise.all(
      Array.from({ length: 12 }, async () => {
        await spend(organization, 1, '2026-03-18');
        await worker.processAll();
      }),
    );
    assert.deepEqual(await percentages(organization), [50, 75, 90, 100]);
  });

  test('that are crossed just before a period ends are announced after it', async () => {
    const organization = await testApp.newOrganization();
    clock.set('2026-03-31T12:00:00Z');
    await newAlert(organization);
    await spend(organization, 4, '2026-03-31');
    await worker.processAll();
    await spend(organization, 2, '2026-03-31');
    clock.set('2026-04-01T00:00:01Z');
    await worker.processAll();
    assert.deepEqual(await percentages(organization), [50]);
    await worker.processAll();
    assert.deepEqual(await percentages(organization), [50]);
  });

  test('reached before a budget was created are announced with it, each once, and the answer lists them', async () => {
    const organization = await testApp.newOrganization();
    clock.set('2026-03-18T12:00:00Z');
    await spend(organization, 8, '2026-03-17');
    const { body } = await createAlert(organization);
    assert.deepEqual(body.reached_shares, [
      { percentage: 50, reached_before: true },
      { percentage: 75, reached_before: true },
    ]);
    const [event] = await eventsOf(testApp, organization, 'cost.threshold');
    assert.deepEqual(event.data, {
      threshold: { percentage: 50, budget: 10, current_spend: 8, reached_before: true },
      measure: 'list_cost',
      scope: { type: 'organization', org: 'acme' },
      alert_id: body.id,
    });
    await worker.processAll();
    assert.deepEqual(await announced(organization), ['50 before', '75 before']);
    await spend(organization, 1, '2026-03-18');
    await worker.processAll();
    assert.deepEqual(await announced(organization), ['50 before', '75 before', 90]);
    const read = await organization.get(`/api/v1/alerts/${body.id}`);
    assert.deepEqual(read.body.reached_shares.at(-1), { percentage: 90, reached_before: false });
    assert.equal((await organization.send('PUT', `/api/v1/alerts/${body.id}`, read.body)).status, 200);
    clock.set('2026-04-02T12:00:00Z');
    assert.deepEqual((await organization.get(`/api/v1/alerts/${body.id}`)).body.reached_shares, []);
    await spend(organization, 6, '2026-04-02');
    await worker.processAll();
    assert.deepEqual(await announced(organization), ['50 before', '75 before', 90, 50]);
  });

  test('reached by costs that the worker has not seen yet are announced once, with the new budget', async () => {
    const organization = await testApp.newOrganization();
    clock.set('2026-03-18T12:00:00Z');
    await newAlert(organization, { threshold_amount: 100 });
    await spend(organization, 8, '2026-03-17');
    await newAlert(organization);
    const second = await testApp.secondWorker();
    await Promise.all([worker.processAll(), second.processAll()]);
    assert.deepEqual(await announced(organization), ['50 before', '75 before']);
  });

  test('of a budget that is already over are announced at once, and its next check triggers', async () => {
    const organization = await testApp.newOrganization();
    clock.set('2026-03-18T12:00:00Z');
    await spend(organization, 12, '2026-03-17');
    const id = await newAlert(organization);
    clock.set('2026-03-19T00:06:00Z');
    await worker.processAll();
    assert.deepEqual(await announced(organization), ['50 before', '75 before', '90 before', '100 before']);
    assert.equal((await triggersOf(organization, id)).length, 1);
  });

  test('of a lowered amount are announced if they are already reached, but none again', async () => {
    const organization = await testApp.newOrganization();
    clock.set('2026-03-18T12:00:00Z');
    const id = await newAlert(organization);
    await spend(organization, 8, '2026-03-17');
    await worker.processAll();
    const lower = () => organization.send('PUT', `/api/v1/alerts/${id}`, { threshold_amount: 8 });
    const answers = await Promise.all([lower(), lower(), worker.processAll(), lower()]);
    assert.deepEqual(
      answers[0]!.body.reached_shares.map(({ percentage }: { percentage: number }) => percentage),
      [50, 75, 90, 100],
    );
    await worker.processAll();
    assert.deepEqual(await announced(organization), [50, 75, '90 before', '100 before']);
  });

  const otherRules = [
    ['period', { period: 'week' }, { period: 'month' }],
    ['scope', { scope: { type: 'repository', value: 'acme/web' } }, { scope: { type: 'organization' } }],
  ] as const;
  for (const [what, other, former] of otherRules) {
    test(`of another ${what} are announced, and none again when the former one returns`, async () => {
      const organization = await testApp.newOrganization();
      clock.set('2026-06-03T12:00:00Z'); // June began on a Monday
      const id = await newAlert(organization);
      await spend(organization, 6, '2026-06-02', 'Build', '01:00:00', { repo_name: 'acme/web' });
      await worker.processAll();
      const change = async (changes: object) => {
        await organization.send('PUT', `/api/v1/alerts/${id}`, changes);
        await worker.processAll();
        return announced(organization);
      };
      assert.deepEqual(await change(other), [50, '50 before']);
      for (const again of [former, other, former]) assert.equal((await change(again)).length, 2);
      clock.set('2026-06-09T12:00:00Z');
      for (const again of [other, former]) assert.equal((await change(again)).length, 2);
      await spend(organization, 2, '2026-06-09', 'Build', '01:00:00', { repo_name: 'acme/web' });
      await worker.processAll();
      assert.deepEqual(await announced(organization), [50, '50 before', 75]);
    });
  }

  test('of the previous period that were reached before the amount changed are not announced', async () => {
    const organization = await testApp.newOrganization();
    clock.set('2026-03-31T12:00:00Z');
    const id = await newAlert(organization);
    await spend(organization, 4, '2026-03-31');
    await worker.processAll();
    clock.set('2026-04-02T12:00:00Z');
    await organization.send('PUT', `/api/v1/alerts/${id}`, { threshold_amount: 5 });
    await spend(organization, 1, '2026-03-31');
    await worker.processAll();
    assert.deepEqual(await percentages(organization), [90, 100]);
  });

  test('belong to the new amount after a raise', async () => {
    const organization = await testApp.newOrganization();
    clock.set('2026-03-18T12:00:00Z');
    const id = await newAlert(organization);
    await spend(organization, 8, '2026-03-17');
    await worker.processAll();
    await organization.send('PUT', `/api/v1/alerts/${id}`, { threshold_amount: 20 });
    await worker.processAll();
    assert.deepEqual(await percentages(organization), [50, 75]);
    await spend(organization, 3, '2026-03-17');
    await worker.processAll();
    assert.deepEqual(await percentages(organization), [50, 75, 50]);
  });

  test('are not announced again when a raise is undone', async () => {
    const organization = await testApp.newOrganization();
    clock.set('2026-03-18T12:00:00Z');
    const id = await newAlert(organization);
    await spend(organization, 10, '2026-03-17');
    await worker.processAll();
    for (const threshold_amount of [30, 10]) {
      await organization.send('PUT', `/api/v1/alerts/${id}`, { threshold_amount });
      await worker.processAll();
    }
    assert.deepEqual(await percentages(organization), [50, 75, 90, 100]);
  });

  test('of a period that has ended are announced when its costs arrive late, even after newer ones', async () => {
    const organization = await testApp.newOrganization();
    clock.set('2026-03-31T12:00:00Z');
    await newAlert(organization);
    await spend(organization, 4, '2026-03-31');
    await worker.processAll();
    clock.set('2026-04-02T12:00:00Z');
    await spend(organization, 8, '2026-04-02');
    await worker.processAll();
    await spend(organization, 2, '2026-03-31');
    await worker.processAll();
    assert.deepEqual(await percentages(organization), [50, 75, 50]);
  });

  test('of a period before the budget existed or was on are not announced', async () => {
    const organization = await testApp.newOrganization();
    clock.set('2026-03-18T12:00:00Z');
    await spend(organization, 10, '2026-02-17');
    const id = await newAlert(organization);
    await worker.processAll();
    await organization.send('PUT', `/api/v1/alerts/${id}`, { enabled: false });
    await spend(organization, 10, '2026-03-17');
    clock.set('2026-04-02T12:00:00Z');
    await organization.send('PUT', `/api/v1/alerts/${id}`, { enabled: true });
    await worker.processAll();
    assert.deepEqual(await percentages(organization), []);
  });

  test('reached while the budget was off are announced when it is on again, but none again', async () => {
    const organization = await testApp.newOrganization();
    clock.set('2026-03-18T12:00:00Z');
    const id = await newAlert(organization);
    await spend(organization, 5, '2026-03-17');
    await worker.processAll();
    const turn = (enabled: boolean) => organization.send('PUT', `/api/v1/alerts/${id}`, { enabled });
    await turn(false);
    await spend(organization, 3, '2026-03-17');
    await worker.processAll();
    for (const enabled of [true, false, true]) await turn(enabled);
    assert.deepEqual(await announced(organization), [50, '75 before']);
    await spend(organization, 1, '2026-03-18');
    await worker.processAll();
    assert.deepEqual(await announced(organization), [50, '75 before', 90]);
  });

  test('are not announced if the budget is not created', async () => {
    const organization = await testApp.newOrganization();
    clock.set('2026-03-18T12:00:00Z');
    await spend(organization, 8, '2026-03-17');
    const fanOut = () => Promise.reject(new Error('killed'));
    const { subscribers } = app;
    const actor = { orgId: organization.orgId, name: 'cli' } as NotificationContext['actor'];
    const program = { ...app, mailer: null, actor, subscribers: { ...subscribers, fanOut } };
    const settings = { name: 'CI budget', alert_type: 'budget', threshold_amount: 10 } as const;
    await assert.rejects(createAlertHere(program, settings), /killed/);
    assert.deepEqual((await organization.get(`/api/v1/alerts?org_id=${organization.orgId}`)).body.alerts, []);
    assert.deepEqual(await announced(organization), []);
  });
});

describe('shares of a budget of a branch', () => {
  const onBranch = { branch: 'release/1' };
  const newBudget = async (): Promise<{ organization: TestOrganization; id: string }> => {
    const organization = await testApp.newOrganization();
    clock.set('2026-03-18T12:00:00Z');
    const scope = { type: 'branch', value: 'release/*' };
    return { organization, id: await newAlert(organization, { scope }) };
  };
  const announced = async (organization: TestOrganization) =>
    (await eventsOf(testApp, organization, 'cost.threshold')).map(({ data }) => [
      data.threshold.percentage,
      data.threshold.current_spend,
    ]);

  /** The program with a database that runs `first` before each transaction that sees the changes of others. */
  function programDoing(first: () => Promise<unknown>) {
    const { db } = app;
    const inBetween = new Proxy(db, {
      get: (_, name) => {
        if (name !== 'transaction') return (db[name as keyof typeof db] as () => unknown).bind(db);
        const begin = db.transaction();
        const execute: typeof begin.execute = async (work) => {
          await first();
          return begin.execute(work);
        };
        return () => ({ execute, setIsolationLevel: begin.setIsolationLevel.bind(begin) });
      },
    });
    return { ...app, mailer: null, db: inBetween };
  }

  test('are added up before the costs are locked: costs that come meanwhile count the next time', async () => {
    const { organization } = await newBudget();
    await spend(organization, 6, '2026-03-17', 'Build', '01:00:00', onBranch);
    const program = programDoing(() => spend(organization, 3, '2026-03-18', 'Build', '01:00:00', onBranch));
    await announceSlowThresholds(program);
    assert.deepEqual(await announced(organization), [[50, 6]]);
    await announceSlowThresholds(app);
    assert.deepEqual((await announced(organization)).slice(1), [
      [75, 9],
      [90, 9],
    ]);
    await announceSlowThresholds(app);
    assert.equal((await announced(organization)).length, 3);
  });

  test('of a budget that changes meanwhile are not announced by costs from before the change', async () => {
    const { organization, id } = await newBudget();
    await spend(organization, 6, '2026-03-17', 'Build', '01:00:00', { ...onBranch, run_id: 'mistake' });
    const program = programDoing(async () => {
      await organization.send('DELETE', '/api/v1/runs/run_api_mistake');
      await organization.send('PUT', `/api/v1/alerts/${id}`, { threshold_amount: 9 });
    });
    await announceSlowThresholds(program);
    await announceSlowThresholds(app);
    assert.deepEqual(await announced(organization), []);
    await spend(organization, 5, '2026-03-18', 'Build', '01:00:00', onBranch);
    await announceSlowThresholds(app);
    assert.deepEqual(await announced(organization), [[50, 5]]);
  });
});
