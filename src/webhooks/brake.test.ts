import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBrake } from './brake.ts';

const noon = Date.parse('2026-03-18T12:00:00Z');
const at = (seconds: number) => new Date(noon + seconds * 1_000);
const hosts = ['a.example', 'b.example', 'c.example', 'd.example'];

function reachedBrake() {
  const brake = createBrake();
  for (const host of hosts) brake.note(host, true, at(0));
  return brake;
}

test('is on when most hosts that could be reached before cannot be any more', () => {
  const brake = reachedBrake();
  for (const host of hosts.slice(0, 2)) brake.note(host, false, at(10));
  assert.equal(brake.isOn(at(10)), false, 'half of them');
  brake.note(hosts[2]!, false, at(11));
  assert.equal(brake.isOn(at(11)), true);
});

test('is off again as soon as enough of them answer, or nothing has been tried for a minute', () => {
  const brake = reachedBrake();
  for (const host of hosts) brake.note(host, false, at(10));
  assert.equal(brake.isOn(at(69)), true);
  assert.equal(brake.isOn(at(70)), false);
  for (const host of hosts.slice(0, 2)) brake.note(host, true, at(20));
  assert.equal(brake.isOn(at(20)), false);
});

test('takes one receiver that is away, however often it is tried, for what it is', () => {
  const brake = reachedBrake();
  for (let second = 1; second < 60; second++) brake.note(hosts[0]!, false, at(second));
  assert.equal(brake.isOn(at(59)), false);
});

test('learns nothing from receivers that have never answered, or not within a day', () => {
  const never = createBrake();
  for (const host of hosts) never.note(host, false, at(0));
  assert.equal(never.isOn(at(0)), false);
  const longAgo = reachedBrake();
  for (const host of hosts) longAgo.note(host, false, at(24 * 3_600));
  assert.equal(longAgo.isOn(at(24 * 3_600)), false);
});
