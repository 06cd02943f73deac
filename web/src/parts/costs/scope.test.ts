import assert from 'node:assert/strict';
import { test } from 'node:test';
import { initial, questionIn } from '../../analysis/question.ts';
import { pageOfPart, pagesOf, parametersWithin, watches, withinScope, type Scope } from './scope.ts';

const repository: Scope = { dimension: 'repository', value: 'acme/api' };
const unowned: Scope = { dimension: 'team', value: null };

test('a page asks about its scope, whatever the address says, and keeps it out of the address', () => {
  const address = new URLSearchParams('days=7&repository=acme%2Fweb&branch=main&sort_by=runs&page=2');
  const question = withinScope(questionIn(address), repository, ['workflow']);
  assert.deepEqual(question.filters, [
    { dimension: 'repository', isNot: false, values: ['acme/api'] },
    { dimension: 'branch', isNot: false, values: ['main'] },
  ]);
  assert.deepEqual(question.groupBy, ['workflow']);
  assert.equal(parametersWithin(question, repository, address).toString(), 'days=7&branch=main&sort_by=runs');
});

test('unowned costs are an empty value, and a name of a pattern is taken literally', () => {
  assert.deepEqual(withinScope(initial, unowned, ['repository']).filters[0]?.values, ['']);
  const odd = withinScope(initial, { dimension: 'team', value: 'a*' }, ['repository']);
  assert.deepEqual(odd.filters[0]?.values, ['=a*']);
});

test('a budget belongs to the scopes that it watches', () => {
  const alert = (scope: Parameters<typeof watches>[0]['scope']) => ({ scope });
  assert.ok(watches(alert({ type: 'repository', value: 'Acme/API' }), repository));
  assert.ok(watches(alert({ type: 'repository', value: 'acme/*' }), repository));
  assert.ok(watches(alert({ type: 'branch', value: 'main', repository: 'acme/api' }), repository));
  assert.ok(!watches(alert({ type: 'branch', value: 'main' }), repository));
  assert.ok(!watches(alert({ type: 'repository', value: 'acme/a.i' }), repository));
  assert.ok(!watches(alert({ type: 'organization' }), repository));
  assert.ok(watches(alert({ type: 'team', value: 'Web' }), { dimension: 'team', value: 'Web' }));
  assert.ok(!watches(alert({ type: 'team', value: 'unowned' }), unowned));
});

test('parts of a chart and filters by one thing lead to its page, with the rest of the question', () => {
  const question = questionIn(
    new URLSearchParams('days=7&branch=main&repository=acme/api&group_by=repository'),
  );
  assert.equal(pageOfPart('repository=acme/a b', question), '/repositories/acme/a%20b?days=7&branch=main');
  assert.equal(pageOfPart('team=', { ...question, groupBy: ['team'] }), '/teams/unowned?days=7&branch=main');
  assert.equal(pageOfPart('branch=main', question), null);
  assert.equal(pageOfPart('', question), null);
  const pages = (search: string) => pagesOf(questionIn(new URLSearchParams(search))).map(({ href }) => href);
  assert.deepEqual(pages('repository=acme/api&team=&days=90'), [
    '/repositories/acme/api?days=90',
    '/teams/unowned?days=90',
  ]);
  assert.deepEqual(pages('workflow=wf_1'), ['/workflows/wf_1']);
  assert.deepEqual(pages('team==a*'), ['/teams/a*']);
  for (const search of [
    'repository=acme/*',
    'repository=!acme/api',
    'team=A&team=B',
    'workflow=CI',
    'branch=main',
  ])
    assert.deepEqual(pages(search), [], search);
});
