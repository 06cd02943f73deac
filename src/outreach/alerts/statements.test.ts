/** How many statements alerts on scopes cost. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { newAlert, spend } from '../../../test/harness/alerts.ts';
import { startTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import type { CostMeasure } from '../../ledger/costs/costMeasures.ts';
import { checkDueAlerts } from './checkAlerts.ts';
import type { Scope } from './scope.ts';
import { announceThresholds, announceSlowThresholds } from './thresholds.ts';

const { app, clock, newOrganization, worker } = await startTestApp();

/** The program with a database that counts statements. */
function counting() {
  let statements = 0;
  const db = app.db.withPlugin({
    transformQuery: ({ node }) => {
      statements++;
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  return {
    program: { ...app, db, publicUrl: () => 'http://here' },
    take: () => {
      const counted = statements;
      statements = 0;
      return counted;
    },
  };
}

/** An organization with this many budgets, each on another scope. No other budgets are on. */
async function organizationWith(
  scopesToWatch: Scope[],
  threshold: number,
  measures: readonly CostMeasure[] = ['list_cost'],
): Promise<TestOrganization> {
  await worker.processAll();
  await app.db.updateTable('alerts').set({ enabled: false }).execute();
  const organization = await newOrganization();
  clock.set('2026-03-18T12:00:00Z');
  const rule = { kind: 'team', owner: 'Platform', repository: 'acme/api' };
  await organization.send('POST', '/api/v1/ownership/rules', rule);
  const run = { repo_name: 'acme/api', branch: 'release/1' };
  await spend(organization, 11, '2026-03-17', 'Build', '01:00:00', run);
  await newAlert(organization, { scope: scopesToWatch[0]!, threshold_amount: threshold });
  const alert = await app.db
    .selectFrom('alerts')
    .selectAll()
    .where('orgId', '=', organization.orgId)
    .executeTakeFirstOrThrow();
  const others = scopesToWatch.slice(1).map((scope, index) => ({
    ...alert,
    measure: measures[index % measures.length]!,
    id: randomUUID(),
    scope: JSON.stringify(scope),
    announced: JSON.stringify(alert.announced),
  }));
  if (others.length > 0) await app.db.insertInto('alerts').values(others).execute();
  return organization;
}

const manyScopes = (count: number): Scope[] =>
  Array.from({ length: count }, (_, index) =>
    index % 2 === 0
      ? { type: 'repository', value: `acme/*${index}` }
      : { type: 'branch', value: `release/*${index}*` },
  );

test('500 scopes are judged with as many statements as two', async () => {
  const { program, take } = counting();
  const statements = async (count: number) => {
    await organizationWith(manyScopes(count), 500);
    clock.set('2026-03-19T00:06:00Z');
    take();
    assert.equal(await checkDueAlerts(program), count);
    return take();
  };
  // Beyond 50 alerts, one statement claims the others of the organization.
  assert.equal(await statements(500), (await statements(2)) + 1);
});

test('net costs and included usage cost a few statements, however many scopes they watch', async () => {
  const { program, take } = counting();
  const statements = async (scopes: Scope[], measures?: CostMeasure[]) => {
    await organizationWith(scopes, 500, measures);
    clock.set('2026-03-19T00:06:00Z');
    take();
    assert.equal(await checkDueAlerts(program), scopes.length);
    return take();
  };
  const all = (count: number) => [...manyScopes(count), { type: 'organization' as const }];
  const measures = ['net_cost', 'included_usage', 'list_cost'] as CostMeasure[];
  const atListPrice = await statements(all(40));
  assert.equal(await statements(all(40), measures), await statements(all(10), measures));
  assert.ok((await statements(all(40), measures)) <= atListPrice + 12);
});

test('shares of 500 scopes are judged with as many statements as those of two', async () => {
  const { program, take } = counting();
  const statements = async (count: number) => {
    const organization = await organizationWith(manyScopes(count), 500);
    await worker.processAll();
    await spend(organization, 1, '2026-03-16');
    take();
    assert.ok(await announceThresholds(program));
    await announceSlowThresholds(program);
    return take();
  };
  assert.equal(await statements(500), await statements(2));
});

test('a trigger of a scope costs at most one statement more than one of the organization', async () => {
  const { program, take } = counting();
  const statements = async (scope: Scope) => {
    await organizationWith([scope], 5);
    clock.set('2026-03-19T00:06:00Z');
    take();
    assert.equal(await checkDueAlerts(program), 1);
    const triggered = take();
    clock.set('2026-03-20T00:06:00Z');
    assert.equal(await checkDueAlerts(program), 1);
    return triggered - take();
  };
  const whole = await statements({ type: 'organization' });
  const parts: Scope[] = [
    { type: 'repository', value: 'acme/api' },
    { type: 'branch', value: 'release/*' },
    { type: 'team', value: 'Platform' },
  ];
  for (const scope of parts) {
    const part = await statements(scope);
    assert.ok(part <= whole + 1, `${part} statements for a ${scope.type}, ${whole} for the organization`);
  }
});
