import assert from 'node:assert/strict';
import { test } from 'node:test';
import { groupRolesIn, groupRolesText } from './groupRoles.ts';

test('roles of groups are lines, whose last = counts', () => {
  const text = ' ci-admins = Admin\n\ncn=ci,dc=acme = member\nlost';
  const groups = groupRolesIn(text);
  assert.deepEqual(groups, [
    { group: 'ci-admins', role: 'admin' },
    { group: 'cn=ci,dc=acme', role: 'member' },
    { group: 'lost', role: '' },
  ]);
  assert.equal(groupRolesText(groups.slice(0, 2)), 'ci-admins = admin\ncn=ci,dc=acme = member');
});
