import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCircuitBreaker } from './circuitBreaker.ts';

const noon = Date.parse('2026-03-18T12:00:00Z');
const at = (seconds: number) => new Date(noon + seconds * 1_000);
const hosts = ['a.example', 'b.example', 'c.example', 'd.example'];
const [a, b, c, d] = hosts as [string, string, string, string];

function breakerThatReached() {
  const breaker = createCircuitBreaker();
  for (const host of hosts) breaker.note(host, true, at(0));
  return breaker;
}

test('is open for hosts that cannot be reached any more when that is so for most, and nobody answers', () => {
  const breaker = breakerThatReached();
  for (const host of [a, b]) breaker.note(host, false, at(20));
  assert.equal(breaker.isOpen(a, at(20)), false, 'half of them');
  breaker.note(c, false, at(21));
  assert.equal(breaker.isOpen(a, at(21)), true);
  assert.equal(breaker.isOpen(d, at(21)), false, 'nothing is known against it');
  assert.equal(breaker.isOpen('new.example', at(21)), false);
});

test('is closed as soon as anybody answers, and when nothing has been tried for a minute', () => {
  const breaker = breakerThatReached();
  for (const host of hosts) breaker.note(host, false, at(20));
  assert.equal(breaker.isOpen(a, at(79)), true);
  assert.equal(breaker.isOpen(a, at(80)), false);
  breaker.note('other.example', true, at(30));
  assert.equal(breaker.isOpen(a, at(30)), false);
});

test('takes receivers that are away for what they are, as long as others answer', () => {
  const breaker = breakerThatReached();
  for (let second = 1; second < 600; second++) {
    for (const host of [a, b, c]) breaker.note(host, false, at(second));
    if (second % 5 === 0) breaker.note(d, true, at(second));
    assert.equal(breaker.isOpen(a, at(second)), false);
  }
});

test('learns nothing from receivers that have never answered, or not within a day', () => {
  const never = createCircuitBreaker();
  for (const host of hosts) never.note(host, false, at(0));
  assert.equal(never.isOpen(a, at(0)), false);
  const longAgo = breakerThatReached();
  for (const host of hosts) longAgo.note(host, false, at(24 * 3_600));
  assert.equal(longAgo.isOpen(a, at(24 * 3_600)), false);
});
