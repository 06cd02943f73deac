import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDue, latestSlot, nextSlot, type Frequency } from './slots.ts';

type Row = [
  frequency: Frequency,
  zone: string,
  now: string,
  latest: [at: string, start: string, end: string],
  next: string,
];

const rows: Row[] = [
  // Monday at 08:00 in winter and in summer.
  [
    'weekly',
    'Europe/Berlin',
    '2026-03-18T12:00:00Z',
    ['2026-03-16T07:00', '2026-03-09', '2026-03-15'],
    '2026-03-23T07:00',
  ],
  [
    'weekly',
    'Europe/Berlin',
    '2026-03-30T06:00:00Z',
    ['2026-03-30T06:00', '2026-03-23', '2026-03-29'],
    '2026-04-06T06:00',
  ],
  [
    'weekly',
    'Europe/Berlin',
    '2026-03-30T05:59:00Z',
    ['2026-03-23T07:00', '2026-03-16', '2026-03-22'],
    '2026-03-30T06:00',
  ],
  // West of UTC, the days of costs are over long before.
  [
    'weekly',
    'America/Los_Angeles',
    '2026-03-16T14:59:00Z',
    ['2026-03-09T15:00', '2026-03-02', '2026-03-08'],
    '2026-03-16T15:00',
  ],
  // East of it, the digest waits for the end of the last day and an hour more.
  [
    'weekly',
    'Pacific/Auckland',
    '2026-03-15T19:30:00Z',
    ['2026-03-09T01:00', '2026-03-02', '2026-03-08'],
    '2026-03-16T01:00',
  ],
  [
    'weekly',
    'Pacific/Kiritimati',
    '2026-03-16T01:00:00Z',
    ['2026-03-16T01:00', '2026-03-09', '2026-03-15'],
    '2026-03-23T01:00',
  ],
  [
    'monthly',
    'UTC',
    '2026-03-01T07:59:00Z',
    ['2026-02-01T08:00', '2026-01-01', '2026-01-31'],
    '2026-03-01T08:00',
  ],
  [
    'monthly',
    'UTC',
    '2026-03-01T08:00:00Z',
    ['2026-03-01T08:00', '2026-02-01', '2026-02-28'],
    '2026-04-01T08:00',
  ],
  [
    'monthly',
    'Asia/Tokyo',
    '2026-12-31T23:30:00Z',
    ['2026-12-01T01:00', '2026-11-01', '2026-11-30'],
    '2027-01-01T01:00',
  ],
];

test('a digest is due at 08:00 of its zone, once the days of its period are over', () => {
  for (const [frequency, timeZone, now, [at, start, end], next] of rows) {
    const zone = { timeZone, weekStart: 'monday' as const };
    const name = `${frequency} ${timeZone} ${now}`;
    const latest = latestSlot(new Date(now), frequency, zone);
    assert.equal(latest.at.toISOString(), `${at}:00.000Z`, name);
    assert.deepEqual([latest.period.start, latest.period.end], [start, end], name);
    assert.equal(nextSlot(new Date(now), frequency, zone).at.toISOString(), `${next}:00.000Z`, name);
  }
});

test('a week starts when the organization says, and the period before is as long', () => {
  const slot = latestSlot(new Date('2026-03-18T12:00:00Z'), 'weekly', {
    timeZone: 'UTC',
    weekStart: 'sunday',
  });
  assert.deepEqual(
    [slot.at.toISOString().slice(0, 16), slot.period, slot.previous],
    [
      '2026-03-15T08:00',
      { start: '2026-03-08', end: '2026-03-14', days: 7 },
      { start: '2026-03-01', end: '2026-03-07', days: 7 },
    ],
  );
});

test('a period is sent once, and none that was over before the digest was turned on', () => {
  const now = new Date('2026-03-18T12:00:00Z');
  const slot = latestSlot(now, 'weekly', { timeZone: 'UTC', weekStart: 'monday' });
  const sent = (sentUntil: string | null, activeSince: string) => ({
    sentUntil,
    activeSince: new Date(activeSince),
  });
  assert.equal(isDue(slot, sent(null, '2026-03-16T07:59:00Z'), now), true);
  assert.equal(isDue(slot, sent(null, '2026-03-16T08:00:00Z'), now), false);
  assert.equal(isDue(slot, sent('2026-03-15', '2026-01-01T00:00:00Z'), now), false);
  assert.equal(isDue(slot, sent('2026-03-14', '2026-01-01T00:00:00Z'), now), true);
  assert.equal(isDue(slot, sent('2027-03-14', '2026-01-01T00:00:00Z'), now), true, 'a clock was ahead');
});
