import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nearPages, piecesOf } from './pageSearch.ts';

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
