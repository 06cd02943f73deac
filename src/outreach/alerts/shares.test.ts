import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { eventsOf, newAlert, spend, triggersOf } from '../../../test/harness/alerts.ts';
import { startTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { announceSlowShares } from './shares.ts';

const testApp = await startTestApp();
const { app, clock, worker } = testApp;

describe('shares of a budget', () => {
  const percentages = async (organization: TestOrganization) =>
    (await eventsOf(testApp, organization, 'cost.threshold')).map(({ data }) => data.threshold.percentage);

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

  test('of a new budget are announced only if they are crossed after it was created', async () => {
    const organization = await testApp.newOrganization();
    clock.set('2026-03-18T12:00:00Z');
    await spend(organization, 8, '2026-03-17');
    const id = await newAlert(organization);
    await worker.processAll();
    assert.deepEqual(await percentages(organization), []);
    await spend(organization, 1, '2026-03-18');
    await worker.processAll();
    assert.deepEqual(await percentages(organization), [90]);
    await spend(organization, 1, '2026-03-18');
    await worker.processAll();
    assert.deepEqual(await percentages(organization), [90, 100]);
    // Neither for earlier costs, nor for those that the worker has not seen yet.
    await newAlert(organization, { threshold_amount: 4 });
    await spend(organization, 1, '2026-03-18');
    await worker.processAll();
    assert.deepEqual(await percentages(organization), [90, 100]);
    clock.set('2026-04-02T12:00:00Z');
    await organization.send('DELETE', `/api/v1/alerts/${id}`);
    await spend(organization, 3, '2026-04-02');
    await worker.processAll();
    assert.deepEqual(await percentages(organization), [90, 100, 50, 75]);
  });

  test('of a budget that is already over are not announced, but its next check triggers', async () => {
    const organization = await testApp.newOrganization();
    clock.set('2026-03-18T12:00:00Z');
    await spend(organization, 12, '2026-03-17');
    const id = await newAlert(organization);
    clock.set('2026-03-19T00:06:00Z');
    await worker.processAll();
    assert.deepEqual(await percentages(organization), []);
    assert.equal((await triggersOf(organization, id)).length, 1);
  });

  for (const [what, changes] of [
    ['a lowered amount', { threshold_amount: 5 }],
    ['another period', { period: 'week' }],
  ] as const) {
    test(`of ${what} are announced only if they are crossed after the change`, async () => {
      const organization = await testApp.newOrganization();
      clock.set('2026-06-03T12:00:00Z'); // June began on a Monday
      const amount = 'period' in changes ? 5 : 10;
      const id = await newAlert(organization, { threshold_amount: amount });
      await spend(organization, 4, '2026-06-02');
      await worker.processAll();
      const before = await percentages(organization);
      assert.deepEqual(before, amount === 5 ? [50, 75] : []);
      await organization.send('PUT', `/api/v1/alerts/${id}`, changes);
      await worker.processAll();
      assert.deepEqual(await percentages(organization), before);
      await spend(organization, 1, '2026-06-03');
      await worker.processAll();
      assert.deepEqual(await percentages(organization), [...before, 90, 100]);
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

  test('crossed before the budget existed, or while it was off, are not announced', async () => {
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

  test('reached while the budget was off are not announced when it is on again', async () => {
    const organization = await testApp.newOrganization();
    clock.set('2026-03-18T12:00:00Z');
    const id = await newAlert(organization);
    await organization.send('PUT', `/api/v1/alerts/${id}`, { enabled: false });
    await spend(organization, 6, '2026-03-17');
    await organization.send('PUT', `/api/v1/alerts/${id}`, { enabled: true });
    await worker.processAll();
    await spend(organization, 2, '2026-03-18');
    await worker.processAll();
    assert.deepEqual(await percentages(organization), [75]);
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
    await announceSlowShares(program);
    assert.deepEqual(await announced(organization), [[50, 6]]);
    await announceSlowShares(app);
    assert.deepEqual((await announced(organization)).slice(1), [
      [75, 9],
      [90, 9],
    ]);
    await announceSlowShares(app);
    assert.equal((await announced(organization)).length, 3);
  });

  test('of a budget that changes meanwhile are not announced by costs from before the change', async () => {
    const { organization, id } = await newBudget();
    await spend(organization, 6, '2026-03-17', 'Build', '01:00:00', { ...onBranch, run_id: 'mistake' });
    const program = programDoing(async () => {
      await organization.send('DELETE', '/api/v1/runs/run_api_mistake');
      await organization.send('PUT', `/api/v1/alerts/${id}`, { threshold_amount: 9 });
    });
    await announceSlowShares(program);
    await announceSlowShares(app);
    assert.deepEqual(await announced(organization), []);
    await spend(organization, 5, '2026-03-18', 'Build', '01:00:00', onBranch);
    await announceSlowShares(app);
    assert.deepEqual(await announced(organization), [[50, 5]]);
  });
});
