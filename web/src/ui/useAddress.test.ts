import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { dayIn, decoded, nameIn, repositoryAddress, runAddress, teamAddress } from './useAddress.ts';

test('any run id becomes one part of a path and reads back unchanged', () => {
  assert.equal(
    runAddress('run_jenkins_folder/job/feature%2Flogin/12'),
    '/runs/run_jenkins_folder%2Fjob%2Ffeature%252Flogin%2F12',
  );
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (id) => {
      const { pathname, search, hash } = new URL(runAddress(`run_ci_${id}`), 'http://runcost.example');
      const [, , encoded, ...more] = pathname.split('/');
      assert.deepEqual([decoded(encoded!), more, search, hash], [`run_ci_${id}`, [], '', '']);
    }),
  );
  assert.equal(decoded('100%'), '100%');
});

test('any name of a repository or team has an address of its own, also one that browsers would follow', () => {
  assert.equal(repositoryAddress('acme/a b'), '/repositories/acme/a%20b');
  assert.equal(teamAddress('Web/iOS'), '/teams/Web%2FiOS');
  const odd = fc.stringMatching(/^[./=a%]{1,6}$/);
  fc.assert(
    fc.property(odd, (name) => {
      for (const [address, path] of [
        [repositoryAddress(name), '/repositories/'],
        [teamAddress(name), '/teams/'],
      ] as const) {
        const { pathname } = new URL(address, 'http://runcost.example');
        assert.ok(pathname.startsWith(path), pathname);
        assert.equal(nameIn(pathname.slice(path.length)), name);
      }
    }),
  );
  for (const none of ['', '=', undefined]) assert.equal(nameIn(none), null);
});

test('accepts only days of the calendar', () => {
  const day = (value: string) => dayIn(new URLSearchParams({ day: value }), 'day');
  assert.equal(day('2028-02-29'), '2028-02-29');
  for (const none of [
    '',
    'today',
    '2026-02-29',
    '2026-02-30',
    '2026-99-01',
    '2026-3-1',
    '2026-03-01T10:00Z',
    '-1',
  ]) {
    assert.equal(day(none), null, none);
  }
  assert.equal(dayIn(new URLSearchParams(), 'day'), null);
});
