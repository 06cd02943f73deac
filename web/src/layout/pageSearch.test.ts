import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IconBox } from '@tabler/icons-react';
import { bestFirst, nearPages, onceEach, piecesOf, type Group } from './pageSearch.ts';

const pieces: [label: string, text: string, expected: string[]][] = [
  ['Billing', '', ['Billing']],
  ['Billing', '  ', ['Billing']],
  ['Billing', 'bill', ['', 'Bill', 'ing']],
  ['Audit log', 'log audit', ['', 'Audit', ' ', 'log', '']],
  ['Budgets and alerts', 'a', ['Budgets ', 'a', 'nd ', 'a', 'lerts']],
  ['Deploy', 'ploy', ['De', 'ploy', '']],
  ['Größe', 'größ', ['', 'Größ', 'e']],
  ['Webhooks', 'web webhooks', ['', 'Webhooks', '']],
  ['Team (old)', '.*(', ['Team (old)']],
  ['Workflows', 'xyz', ['Workflows']],
];

for (const [label, text, expected] of pieces)
  test(`the pieces of “${label}” for “${text}”`, () => assert.deepEqual(piecesOf(label, text), expected));

const near: [path: string, expected: string[]][] = [
  ['/billing', ['Bill']],
  ['/workflow', ['Workflows']],
  ['/settings/audit-log', ['Audit log']],
  ['/wrokflows', ['Workflows']],
  ['/weebhooks', ['Webhooks']],
  ['/bakcfills', ['History']],
  ['/', []],
  ['/xy/zz', []],
  ['/qqqqq', []],
];

for (const [path, expected] of near)
  test(`the pages near ${path}`, () => {
    const labels = nearPages(path).map(({ label }) => label);
    assert.deepEqual(labels.slice(0, expected.length || 1), expected);
    assert.ok(labels.length <= 3);
  });

test('exact names come first, then groups with a name that starts with the text, then the usual order', () => {
  const group = (title: string, ...labels: string[]): Group => ({
    title,
    items: labels.map((label) => ({ id: label, label, icon: IconBox, go: '/' })),
  });
  const groups = [
    group('Recent', 'Deploy in acme/platform'),
    group('Pages', 'Waste'),
    group('Repositories', 'acme/platform-tools', 'acme/platform'),
    group('Teams', 'Platform'),
    group('Workflows', 'Platform checks'),
  ];
  const order = (text: string) => bestFirst(groups, text).map(({ title }) => title);
  assert.deepEqual(order('platform'), ['Exact name', 'Repositories', 'Workflows', 'Recent', 'Pages']);
  assert.deepEqual(
    bestFirst(groups, 'platform')[0]!.items.map(({ label }) => label),
    ['acme/platform', 'Platform'],
  );
  assert.deepEqual(
    bestFirst(groups, 'platform', ['Recent', 'Workflows']).map(({ title }) => title),
    ['Recent', 'Workflows', 'Exact name', 'Repositories', 'Pages'],
  );
  assert.deepEqual(order(''), ['Recent', 'Pages', 'Repositories', 'Teams', 'Workflows']);
});

test('each destination and each thing is listed once, in the first group that has it', () => {
  const item = (id: string, go: string) => ({ id, label: id, icon: IconBox, go });
  const groups = onceEach([
    { title: 'Recent', items: [item('visit', '/runs/1'), item('team web', '/teams/web')] },
    { title: 'Runs', items: [item('run 1', '/runs/1')] },
    { title: 'Teams', items: [item('team web', '/explore?team=web'), item('team api', '/explore?team=api')] },
  ]);
  assert.deepEqual(
    groups.map(({ items }) => items.map(({ id }) => id)),
    [['visit', 'team web'], [], ['team api']],
  );
});
