import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readPattern } from './linearPattern.ts';

function matches(pattern: string, text: string): boolean {
  const read = readPattern(pattern);
  assert.ok('matches' in read, `${pattern}: ${'fault' in read ? read.fault : ''}`);
  return read.matches(text);
}

test('patterns are cached, up to a limit', () => {
  const first = readPattern('^remembered$');
  assert.equal(readPattern('^remembered$'), first);
  for (let other = 0; other < 1_000; other++) readPattern(`^other-${other}$`);
  assert.notEqual(readPattern('^remembered$'), first);
  assert.ok(matches('^remembered$', 'Remembered'));
});

test('a pattern gives the same answer for a label after many others', () => {
  const labels = Array.from({ length: 250 }, (_, id) => `box-${id}`);
  for (const label of [...labels, ...labels]) {
    assert.equal(matches('-1[0-9]*$', label), label.startsWith('box-1'));
  }
});

describe('a pattern', () => {
  const cases: [pattern: string, text: string, expected: boolean][] = [
    ['gpu', 'linux-gpu-8', true],
    ['^gpu', 'linux-gpu-8', false],
    ['^team-(build|test)-\\d+$', 'Team-Build-12', true],
    ['^team-(build|test)-\\d+$', 'team-deploy-12', false],
    ['[A-Z]{2,3}-x', 'ab-X', true],
    ['n300\\.large', 'n300xlarge', false],
    ['', 'anything', true],
    // JavaScript's own regular expressions take forever here.
    ['(a+)+$', `${'a'.repeat(200)}b`, false],
    ['x', `${'a'.repeat(256)}x`, false],
  ];
  for (const [pattern, text, expected] of cases) {
    test(`${pattern} ${expected ? 'matches' : 'does not match'} ${text.slice(0, 20)}`, () => {
      assert.equal(matches(pattern, text), expected);
    });
  }

  const refused: [pattern: string, fault: RegExp][] = [
    ['(', /^is not valid: missing closing \): `\(`$/],
    ['[a', /missing closing \]/],
    ['*a', /missing argument/],
    ['(?=a)', /unsupported/],
    [String.raw`(a)\1`, /invalid escape/],
    ['((a{99}){99}){99}', /counts that are too large/],
    ['a{1001}', /repeat count/],
    // These expand to 900 letters and would match a label as slowly as 900 patterns.
    ['((a{30}){30})', /counts that are too large/],
    [`(?:(?:${'a.'.repeat(90)}){31}){31}`, /counts that are too large/],
    ['a'.repeat(201), /at most 200/],
  ];
  for (const [pattern, fault] of refused) {
    test(`${pattern.slice(0, 20)} is refused`, () => {
      const read = readPattern(pattern);
      assert.ok('fault' in read);
      assert.match(read.fault, fault);
    });
  }
});
