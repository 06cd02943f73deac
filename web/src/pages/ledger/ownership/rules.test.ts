import assert from 'node:assert/strict';
import { test } from 'node:test';
import { moved, ownerAddress, unownedIn, type Rule, type RuleCosts } from './rules.ts';

const rule = (id: string, position: number) => ({ id, position }) as Rule;
const inShort = (rules: readonly Rule[]) => rules.map(({ id, position }) => `${position} ${id}`);

test('a moved rule stands at its new position at once, also if the server has answered already', () => {
  const page = [rule('a', 51), rule('b', 52), rule('c', 53)];
  const after = moved(page, { id: 'a', position: 53 });
  assert.deepEqual(inShort(after), ['51 b', '52 c', '53 a']);
  assert.deepEqual(inShort(moved(after, { id: 'a', position: 53 })), inShort(after));
  assert.deepEqual(inShort(moved(page, { id: 'c', position: 51 })), ['51 c', '52 a', '53 b']);
});

test('a rule that leaves the page stays until the server has answered', () => {
  const page = [rule('a', 51), rule('b', 52)];
  for (const position of [50, 53]) assert.deepEqual(moved(page, { id: 'a', position }), page);
});

test('a kind of owners that nobody uses is not unowned', () => {
  const [team, center] = [
    { kind: 'team', jobs: 4 },
    { kind: 'cost_center', jobs: 10 },
  ];
  const kindsOf = (...unowned: object[]) =>
    unownedIn({ unowned, total: { jobs: 10 } } as unknown as RuleCosts).map(({ kind }) => kind);
  assert.deepEqual(kindsOf(team, center), ['team']);
  assert.deepEqual(kindsOf(team, { ...center, jobs: 3 }), ['team', 'cost_center']);
  assert.deepEqual(kindsOf({ ...team, jobs: 10 }, center), ['team']);
  assert.deepEqual(kindsOf(center), []);
});

test('an owner leads to its costs', () => {
  assert.equal(ownerAddress('team', 'Platform'), '/teams/Platform');
  assert.equal(ownerAddress('team', null), '/teams/unowned');
  assert.equal(ownerAddress('cost_center', 'CC 1'), '/explore?cost_center=CC+1');
  assert.equal(ownerAddress('cost_center', null), '/explore?cost_center=');
});
