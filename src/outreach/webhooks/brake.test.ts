import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBrake } from './brake.ts';

const noon = Date.parse('2026-03-18T12:00:00Z');
const at = (seconds: number) => new Date(noon + seconds * 1_000);
const hosts = ['a.example', 'b.example', 'c.example', 'd.example'];
const [a, b, c, d] = hosts as [string, string, string, string];

function reachedBrake() {
  const brake = createBrake();
  for (const host of hosts) brake.note(host, true, at(0));
  return brake;
}

test('is on for hosts that cannot be reached any more when that is so for most, and nobody answers', () => {
  const brake = reachedBrake();
  for (const host of [a, b]) brake.note(host, false, at(20));
  assert.equal(brake.isOn(a, at(20)), false, 'half of them');
  brake.note(c, false, at(21));
  assert.equal(brake.isOn(a, at(21)), true);
  assert.equal(brake.isOn(d, at(21)), false, 'nothing is known against it');
  assert.equal(brake.isOn('new.example', at(21)), false);
});

test('is off as soon as anybody answers, and when nothing has been tried for a minute', () => {
  const brake = reachedBrake();
  for (const host of hosts) brake.note(host, false, at(20));
  assert.equal(brake.isOn(a, at(79)), true);
  assert.equal(brake.isOn(a, at(80)), false);
  brake.note('other.example', true, at(30));
  assert.equal(brake.isOn(a, at(30)), false);
});

test('takes receivers that are away for what they are, as long as others answer', () => {
  const brake = reachedBrake();
  for (let second = 1; second < 600; second++) {
    for (const host of [a, b, c]) brake.note(host, false, at(second));
    if (second % 5 === 0) brake.note(d, true, at(second));
    assert.equal(brake.isOn(a, at(second)), false);
  }
});

test('learns nothing from receivers that have never answered, or not within a day', () => {
  const never = createBrake();
  for (const host of hosts) never.note(host, false, at(0));
  assert.equal(never.isOn(a, at(0)), false);
  const longAgo = reachedBrake();
  for (const host of hosts) longAgo.note(host, false, at(24 * 3_600));
  assert.equal(longAgo.isOn(a, at(24 * 3_600)), false);
});
