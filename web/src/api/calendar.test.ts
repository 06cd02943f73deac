import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { rowTime, timeInFull, timeText } from '../ui/figures.ts';
import { setCalendar, zoneName } from './calendar.ts';

const winter = new Date('2026-01-05T23:30:09.500Z');
const summer = new Date('2026-07-05T23:30:00.000Z');
const inZone = (time_zone: string) =>
  setCalendar({ time_zone, fiscal_year_start_month: 1, week_start: 'monday' });

afterEach(() => setCalendar(null));

test('times are in the zone of the organization, which they name', () => {
  assert.equal(timeText(winter), 'Jan 5, 2026, 23:30 UTC');
  for (const [zone, inWinter, inSummer] of [
    ['Europe/Berlin', 'Jan 6, 2026, 00:30 CET', 'Jul 6, 2026, 01:30 CEST'],
    ['America/New_York', 'Jan 5, 2026, 18:30 EST', 'Jul 5, 2026, 19:30 EDT'],
    ['Asia/Kolkata', 'Jan 6, 2026, 05:00 IST', 'Jul 6, 2026, 05:00 IST'],
    ['Asia/Tokyo', 'Jan 6, 2026, 08:30 GMT+9', 'Jul 6, 2026, 08:30 GMT+9'],
  ] as const) {
    inZone(zone);
    assert.deepEqual([timeText(winter), timeText(summer)], [inWinter, inSummer]);
  }
  assert.equal(zoneName(winter, 'Australia/Sydney'), 'AEDT');
});

test('in full, a time also says when it was in UTC, which days count by', () => {
  assert.match(timeInFull(winter), /^Jan 5, 2026, 23:30:09 UTC/);
  inZone('Europe/Berlin');
  assert.match(timeInFull(winter), /^Jan 6, 2026, 00:30:09 CET · Jan 5, 2026, 23:30:09 UTC/);
});

test('a time in a row names its zone where it is another than that of the head', () => {
  inZone('Europe/Berlin');
  assert.equal(rowTime(winter, new Date('2026-02-01')), 'Jan 6, 00:30');
  assert.equal(rowTime(summer, new Date('2026-11-01')), 'Jul 6, 01:30 CEST');
});
