import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { hasRole, roles, type Role } from '../../platform/lib/actor.ts';
import { leavesOutGroups, mergeClaims, personOf } from './claims.ts';
import { decideSignIn, isAllowed, ownPath, roleByGroups, type Person, type Rules } from './decide.ts';

const person: Person = {
  issuer: 'https://login.acme.test',
  subject: 's-1',
  email: 'ada@acme.test',
  isEmailVerified: true,
  name: 'Ada',
  groups: [],
};
const rules: Rules = { allowedDomains: ['acme.test'], defaultRole: 'viewer', groupRoles: [] };
const nobody = { bound: null, byEmail: null, invited: null };
const groupRoles: Rules['groupRoles'] = [
  { group: 'ci', role: 'member' },
  { group: 'admins', role: 'admin' },
];

test('who gets in, as whom and with which role', () => {
  const member = (role: Role, hasOtherSubject = false) => ({ ...nobody, byEmail: { role, hasOtherSubject } });
  const bound = (role: Role) => ({ ...nobody, bound: { role } });
  const unverified = { isEmailVerified: false };
  const elsewhere = { email: 'ada@evil.test' };
  const table: [Partial<Person>, Partial<Rules>, Parameters<typeof decideSignIn>[2], string][] = [
    [{}, {}, nobody, 'new viewer'],
    [{}, { defaultRole: null }, nobody, 'refused not_a_member'],
    [elsewhere, {}, nobody, 'refused domain_not_allowed'],
    [elsewhere, {}, { ...nobody, invited: 'member' }, 'new member'],
    [elsewhere, {}, member('admin'), 'bind admin'],
    [{}, {}, member('owner', true), 'refused other_identity'],
    [unverified, {}, nobody, 'refused email_unverified'],
    [unverified, {}, member('admin'), 'refused email_unverified'],
    [unverified, {}, { ...nobody, invited: 'admin' }, 'refused email_unverified'],
    [{ email: null }, {}, nobody, 'refused email_missing'],
    [{ ...unverified, email: null }, {}, bound('admin'), 'bound admin'],
    [{}, { groupRoles }, bound('owner'), 'bound viewer'],
    [{}, { groupRoles, defaultRole: null }, bound('owner'), 'refused no_group'],
    [{ groups: ['ci'] }, { groupRoles }, bound('owner'), 'bound member'],
    [{ groups: ['ci', 'admins'] }, { groupRoles }, nobody, 'new admin'],
    [{ groups: ['ci'] }, { groupRoles, defaultRole: 'owner' }, nobody, 'new member'],
    [{ groups: ['ci'] }, { groupRoles }, { ...nobody, invited: 'owner' }, 'new member'],
    [{ groups: null }, { groupRoles }, bound('owner'), 'refused groups_unknown'],
    [{ groups: null }, { groupRoles }, nobody, 'refused groups_unknown'],
    [{ groups: null }, {}, bound('owner'), 'bound owner'],
    [{ groups: ['CI'] }, { groupRoles, defaultRole: null }, nobody, 'refused no_group'],
  ];
  for (const [about, more, known, expected] of table) {
    const decision = decideSignIn({ ...person, ...about }, { ...rules, ...more }, known);
    const words =
      decision.kind === 'refused' ? `refused ${decision.why}` : `${decision.kind} ${decision.role}`;
    assert.equal(words, expected, JSON.stringify([about, more, known]));
  }
});

test('groups give no more than the highest of their roles, in any order', () => {
  const names = fc.constantFrom('a', 'b', 'c', 'd');
  const mapped = fc.array(fc.record({ group: names, role: fc.constantFrom(...roles) }), { minLength: 1 });
  const defaults = fc.option(fc.constantFrom(...roles));
  fc.assert(
    fc.property(mapped, fc.array(names), defaults, (all, groups, defaultRole) => {
      const role = roleByGroups({ allowedDomains: [], defaultRole, groupRoles: all }, groups);
      const given = all.filter(({ group }) => groups.includes(group)).map((each) => each.role);
      if (given.length === 0) return assert.equal(role, defaultRole);
      assert.ok(role !== null && role !== 'own' && role !== 'unknown' && given.includes(role));
      assert.ok(given.every((each) => hasRole(role, each)));
    }),
  );
});

test('nobody new gets in without a verified email', () => {
  const anything = fc.record({ isEmailVerified: fc.constant(false), groups: fc.array(fc.string()) });
  fc.assert(
    fc.property(anything, fc.option(fc.constantFrom(...roles)), (about, invited) => {
      const known = { ...nobody, invited };
      assert.equal(decideSignIn({ ...person, ...about }, { ...rules, groupRoles }, known).kind, 'refused');
    }),
  );
});

test('a domain is what follows the last @, in any case, and no subdomain', () => {
  for (const [email, expected] of [
    ['a@ACME.test', true],
    ['a@sub.acme.test', false],
    ['a@notacme.test', false],
    ['a@acme.test.evil.test', false],
    ['"a@acme.test"@evil.test', false],
  ] as const) {
    assert.equal(isAllowed(email, ['acme.test']), expected, email);
  }
});

test('a path leads to our own pages, whatever it says', () => {
  const odd = fc.array(
    fc.constantFrom('/', '\\', '.', '%2f', '%5c', '@', ':', '?', '#', 'evil.test', ' ', '\t', 'a'),
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.webUrl(),
        odd.map((parts) => parts.join('')),
      ),
      (text) => {
        const path = ownPath(text);
        const url = new URL(path, 'https://runcost.test');
        assert.equal(url.origin, 'https://runcost.test', path);
        assert.ok(!path.startsWith('//') && path.startsWith('/'));
      },
    ),
  );
  assert.equal(ownPath('/waste?days=7#top'), '/waste?days=7#top');
  for (const text of ['/sign-in', '/api/v1/session', undefined, 'waste']) assert.equal(ownPath(text), '/');
});

test('claims become a person, whatever their types', () => {
  const verified = (claims: object) => personOf('i', { sub: 's', ...claims }, 'groups')?.isEmailVerified;
  for (const [claims, expected] of [
    [{ email_verified: true }, true],
    [{ email_verified: 'true' }, true],
    [{ email_verified: false, xms_edov: true }, false],
    [{ email_verified: 1 }, false],
    [{ xms_edov: '1' }, true],
    [{ xms_edov: 0 }, false],
    [{}, false],
  ] as const) {
    assert.equal(verified(claims), expected, JSON.stringify(claims));
  }
  assert.deepEqual(personOf('i', { sub: 's', roles: ['a', 7, null] }, 'roles')?.groups, ['a']);
  assert.deepEqual(personOf('i', { sub: 's', groups: 'a' }, 'groups')?.groups, ['a']);
  for (const sub of [undefined, '', 7, 'x'.repeat(256), 'a\0'])
    assert.equal(personOf('i', { sub }, 'groups'), null);
  fc.assert(fc.property(fc.object(), (claims) => void personOf('i', claims, 'groups')));
});

test('groups that are to be asked for elsewhere are not no groups', () => {
  const elsewhere = { _claim_names: { groups: 'src1' }, _claim_sources: { src1: {} } };
  for (const [claims, claim, expected] of [
    [elsewhere, 'groups', true],
    [elsewhere, 'roles', false],
    [{ hasgroups: true }, 'groups', true],
    [{ hasgroups: 'true' }, 'groups', true],
    [{ hasgroups: true }, 'roles', false],
    [{ _claim_names: null }, 'groups', false],
    [{}, 'groups', false],
  ] as const) {
    assert.equal(leavesOutGroups(claims, claim), expected, JSON.stringify([claims, claim]));
  }
});

test('an address and its proof come from one answer', () => {
  const table: [idToken: object, userInfo: object, email: string | undefined, verified: unknown][] = [
    [{ email: 'a', email_verified: true }, { email: 'b', email_verified: false }, 'a', true],
    [{ email: 'a' }, { email: 'b', email_verified: true }, 'b', true],
    [{ email: 'a' }, { email_verified: true }, 'a', undefined],
    [{ email_verified: true }, { email: 'b' }, 'b', undefined],
    [{}, { email: 'b', email_verified: true }, 'b', true],
    [{ email_verified: true }, {}, undefined, undefined],
  ];
  for (const [idToken, userInfo, email, verified] of table) {
    const merged = mergeClaims({ ...idToken, sub: 's' }, { ...userInfo, groups: ['g'] });
    assert.deepEqual([merged['email'], merged['email_verified']], [email, verified]);
    assert.deepEqual([merged['sub'], merged['groups']], ['s', ['g']]);
  }
});
