import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { addDays, dayOf, startOfDay, type Day } from '../../platform/lib/days.ts';
import { magnitude } from '../../platform/lib/money.ts';
import { projectMonth, projectionHistoryDays, roundToRange, type Projection } from './projection.ts';

const dollar = 1_000_000_000n;
const cent = dollar / 100n;

function costsOf(first: Day, last: Day, costOf: (day: Day, index: number) => bigint): Map<Day, bigint> {
  const costs = new Map<Day, bigint>();
  for (let day = first, index = 0; day <= last; day = addDays(day, 1), index++) {
    costs.set(day, costOf(day, index));
  }
  return costs;
}

function project(now: string, costs: Map<Day, bigint>): Projection {
  const days = [...costs.keys()].toSorted();
  return projectMonth(new Date(now), { costs, firstDay: days[0] ?? null });
}

const weekdayOf = (day: Day) => startOfDay(day).getUTCDay();
const isWeekend = (day: Day) => [0, 6].includes(weekdayOf(day));

describe('future days', () => {
  test('cost the median of their weekday over the last 8 weeks', () => {
    const costs = costsOf('2025-11-01', '2026-03-17', (day) => (isWeekend(day) ? 2n : 10n) * dollar);
    costs.set('2026-03-09', 500n * dollar); // one bad Monday
    const { daily, spentNanos, projectedNanos, confidence } = project('2026-03-18T00:00:00Z', costs);
    const byDay = new Map(daily.map(({ day, projectedNanos: projected }) => [day, projected]));
    assert.equal(byDay.get('2026-03-23'), 10n * dollar);
    assert.equal(byDay.get('2026-03-22'), 2n * dollar);
    assert.equal(spentNanos, (12n * 10n + 5n * 2n + 490n) * dollar);
    assert.equal(projectedNanos - spentNanos, (10n * 10n + 4n * 2n) * dollar);
    assert.equal(confidence, 'good');
  });

  test('use 8 weeks and not a day more', () => {
    const costs = costsOf('2025-11-01', '2026-03-17', (day) => (day < '2026-01-21' ? 999n : 10n) * dollar);
    const { usualPaceNanos, spentNanos } = project('2026-03-18T00:00:00Z', costs);
    assert.equal(usualPaceNanos - spentNanos, 14n * 10n * dollar);
  });

  test('include days without cost since the first known one', () => {
    const costs = new Map([
      ['2026-03-01', 8n],
      ['2026-03-02', 4n],
      ['2026-03-04', 6n],
    ]);
    // 8, 4, 0, 6: the two in the middle are 4 and 6.
    assert.equal(project('2026-03-05T00:00:00Z', costs).daily.at(-1)!.projectedNanos, 5n);
  });

  test('cost the median of all whole days with fewer than 4 of a weekday', () => {
    const costs = costsOf('2026-02-23', '2026-03-17', (day) => (isWeekend(day) ? 2n : 10n));
    const { daily, confidence } = project('2026-03-18T00:00:00Z', costs);
    assert.deepEqual(new Set(daily.slice(17).map(({ projectedNanos }) => projectedNanos)), new Set([10n]));
    assert.equal(confidence, 'low');
  });

  test('cost as much as today so far without a whole day', () => {
    const projection = project('2026-03-30T12:00:00Z', new Map([['2026-03-30', 8n]]));
    assert.equal(projection.spentNanos, 8n);
    assert.equal(projection.projectedNanos, 8n + 4n + 8n);
    assert.equal(projection.band, null);
    assert.equal(projection.confidence, 'none');
  });

  test('cost nothing without any history', () => {
    const { projectedNanos, spentNanos, band, confidence, daily } = project(
      '2026-03-30T12:00:00Z',
      new Map(),
    );
    assert.deepEqual([projectedNanos, spentNanos, band, confidence], [0n, 0n, null, 'none']);
    assert.equal(daily.length, 31);
  });
});

test('today adds the share of its expected cost that falls on its remaining hours', () => {
  const costs = costsOf('2026-01-01', '2026-03-30', () => 24n);
  costs.set('2026-03-31', 100n);
  const spent = 30n * 24n + 100n;
  for (const [time, remainder] of [
    ['00:00:00.000', 24n],
    ['06:00:00.000', 18n],
    ['23:00:00.000', 1n],
    ['23:59:59.999', 0n],
  ] as const) {
    const { spentNanos, projectedNanos, daily, daysElapsed } = project(`2026-03-31T${time}Z`, costs);
    assert.equal(spentNanos, spent);
    assert.equal(projectedNanos, spent + remainder);
    assert.equal(daily.at(-1)!.projectedNanos, 100n + remainder);
    assert.equal(daysElapsed, 31);
  }
});

test('the month is the UTC month, with all its days', () => {
  for (const [now, first, days, elapsed] of [
    ['2026-02-28T23:59:59.999Z', '2026-02-01', 28, 28],
    ['2024-02-10T00:00:00Z', '2024-02-01', 29, 10],
    ['2026-03-01T00:00:00Z', '2026-03-01', 31, 1],
    ['2026-12-31T23:00:00Z', '2026-12-01', 31, 31],
    ['2026-04-30T12:00:00Z', '2026-04-01', 30, 30],
  ] as const) {
    const { daily, daysElapsed } = project(now, new Map());
    assert.equal(daily[0]!.day, first);
    assert.equal(daily.length, days);
    assert.equal(daysElapsed, elapsed);
    assert.ok(daily.every(({ costNanos }, index) => (costNanos === null) === index >= elapsed));
    assert.ok(daily.every(({ projectedNanos }, index) => (projectedNanos === null) === index < elapsed - 1));
  }
});

describe('the likely range', () => {
  test('needs 14 earlier forecasts, and is good with 42', () => {
    // With 10 days left, each forecast needs 28 days before it, its own day, and 10 days after it.
    const first = (count: number) => addDays('2026-03-21', -count);
    const after = (days: number) => {
      const costs = costsOf(first(days), '2026-03-20', (_day, index) => BigInt(index % 5));
      const { band, confidence } = project('2026-03-21T00:00:00Z', costs);
      return [band !== null, confidence];
    };
    assert.deepEqual(after(28 + 10 + 13), [false, 'low']);
    assert.deepEqual(after(28 + 10 + 14), [true, 'low']);
    assert.deepEqual(after(28 + 10 + 41), [true, 'low']);
    assert.deepEqual(after(28 + 10 + 42), [true, 'good']);
  });

  test('is equally wide to both sides, and a few runaway days do not widen it', () => {
    const noisy = (_day: Day, index: number) => (100n + BigInt((index * 7_919) % 11)) * dollar;
    const calm = costsOf('2025-09-01', '2026-03-17', noisy);
    const runaway = new Map(calm);
    for (const day of ['2026-02-24', '2026-02-25', '2026-02-26']) runaway.set(day, 900n * dollar);
    const widths = [calm, runaway].map((costs) => {
      const { band, projectedNanos } = project('2026-03-18T00:00:00Z', costs);
      assert.equal(band!.highNanos - projectedNanos, projectedNanos - band!.lowNanos);
      return band!.highNanos - band!.lowNanos;
    });
    assert.ok(widths[1]! < widths[0]! * 2n, widths.join(' '));
  });

  test('has the forecast in its middle, even where the expected cost was always too low or too high', () => {
    for (const costOf of [
      (index: number) => BigInt(200 + index) * dollar,
      (index: number) => BigInt(500 - index) * dollar,
    ]) {
      const costs = costsOf('2025-09-01', '2026-03-17', (_day, index) => costOf(index));
      const { band, projectedNanos, usualPaceNanos } = project('2026-03-18T00:00:00Z', costs);
      assert.ok(band!.lowNanos < projectedNanos && projectedNanos < band!.highNanos);
      assert.ok(usualPaceNanos < band!.lowNanos || band!.highNanos < usualPaceNanos);
      const actual = costsOf('2025-09-01', '2026-03-31', (_day, index) => costOf(index));
      const ofMonth = [...actual].filter(([day]) => day.startsWith('2026-03'));
      const missed = projectedNanos - ofMonth.reduce((sum, [, cost]) => sum + cost, 0n);
      assert.ok(missed * 50n < projectedNanos && -missed * 50n < projectedNanos, String(missed));
    }
  });

  test('contains at least three of four months whose costs neither grow nor run away', () => {
    let seed = 42;
    const random = () => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) / 2_147_483_648;
    const costs = costsOf('2020-01-01', '2026-12-31', (day) => {
      const spike = random() < 0.03 ? 3 : 1;
      return BigInt(Math.round((isWeekend(day) ? 5e9 : 40e9) * (0.6 + 0.8 * random()) * spike));
    });
    const months = Array.from({ length: 72 }, (_, index) => dayOf(new Date(Date.UTC(2020, 8 + index, 8))));
    const held = months.filter((today) => {
      const known = new Map([...costs].filter(([day]) => day < today));
      const { band, daily } = projectMonth(startOfDay(today), { costs: known, firstDay: '2020-01-01' });
      const actual = daily.reduce((sum, { day }) => sum + costs.get(day)!, 0n);
      return band!.lowNanos <= actual && actual <= band!.highNanos;
    });
    assert.ok(held.length >= 0.75 * months.length, `${held.length} of ${months.length}`);
    assert.ok(held.length <= 0.95 * months.length, `${held.length} of ${months.length}`);
  });
});

describe('the forecast', () => {
  const restOf = (costs: Map<Day, bigint>) => {
    const { projectedNanos, usualPaceNanos, spentNanos } = project('2026-03-18T00:00:00Z', costs);
    return [(projectedNanos - spentNanos) / dollar, (usualPaceNanos - spentNanos) / dollar];
  };

  test('ignores earlier errors after a jump in cost', () => {
    const costs = costsOf('2025-12-01', '2026-03-17', (day) => (day < '2026-01-21' ? 100n : 10n) * dollar);
    assert.deepEqual(restOf(costs), [70n, 140n]); // half of 14 days at 10
  });

  test('expects something even where no weekday usually costs anything', () => {
    const costs = costsOf('2025-09-01', '2026-03-17', (_day, index) => (index % 10 < 3 ? 10n : 0n) * dollar);
    const [projected, usualPace] = restOf(costs);
    assert.equal(usualPace, 0n);
    assert.ok(projected! >= 30n && projected! <= 50n, String(projected)); // 14 days at 3 on average
  });

  test('is rounded to the digits that its range supports, at least two', () => {
    for (const [cents, spread, rounded] of [
      [1_000, 0, 312_34], // days that always cost the same leave no range
      [1_000, 5, 311_00], // between 308 and 315
      [1_000, 20, 310_00], // between 294 and 325
      [20_000, 400, 6_100_00], // about $6.1K
    ] as const) {
      const costs = costsOf('2025-09-01', '2026-03-17', (_day, index) => {
        return BigInt(cents + spread * 6 * (((index * 7_919) % 11) - 5)) * cent;
      });
      costs.set('2026-03-17', BigInt(cents + 234) * cent);
      const { roundedNanos } = project('2026-03-18T00:00:00Z', costs);
      assert.equal(roundedNanos, BigInt(rounded) * cent);
    }
  });

  test('takes more digits where it would leave a range that starts with what is spent', () => {
    const costs = costsOf(
      '2025-09-01',
      '2026-03-30',
      (_day, index) => (index % 20 === 0 ? 10n : 0n) * dollar,
    );
    costs.set('2026-03-31', 11_33n * cent);
    const { roundedNanos, band, spentNanos } = project('2026-03-31T00:00:00Z', costs);
    assert.equal(band!.lowNanos, spentNanos);
    assert.equal(roundedNanos, spentNanos);
  });

  test('lies within any range when it is rounded', () => {
    const part = fc.bigInt({ min: 0n, max: 10n ** 13n });
    fc.assert(
      fc.property(part, part, part, (low, below, above) => {
        const band = { lowNanos: low, highNanos: low + below + above };
        const rounded = roundToRange(low + below, band);
        assert.ok(low <= rounded && rounded <= band.highNanos);
      }),
    );
  });

  test('is rounded to two digits without a range', () => {
    const costs = costsOf('2026-03-01', '2026-03-17', () => 12_345n * cent);
    const { roundedNanos, projectedNanos } = project('2026-03-18T00:00:00Z', costs);
    assert.deepEqual([projectedNanos, roundedNanos], [31n * 12_345n * cent, 3_800n * dollar]);
  });
});

const anyCost = fc.oneof(fc.constant(0n), fc.bigInt({ min: 0n, max: 10n ** 13n }));
const anyHistory = fc.record({
  now: fc.date({
    min: new Date('2024-01-01T00:00:00Z'),
    max: new Date('2028-12-31T23:59:59Z'),
    noInvalidDate: true,
  }),
  costs: fc.array(anyCost, { maxLength: projectionHistoryDays + 1 }),
});

function historyOf({ now, costs }: { now: Date; costs: bigint[] }) {
  const first = addDays(dayOf(now), 1 - costs.length);
  const known = new Map(costs.map((cost, index) => [addDays(first, index), cost]));
  return { costs: known, firstDay: costs.length > 0 ? first : null };
}

describe('for any history', () => {
  const check = (property: (projection: Projection, now: Date, costs: Map<Day, bigint>) => void) =>
    fc.assert(
      fc.property(anyHistory, (drawn) => {
        const history = historyOf(drawn);
        property(projectMonth(drawn.now, history), drawn.now, history.costs);
      }),
      { numRuns: 300 },
    );

  test('spent ≤ low ≤ projected ≤ high', () => {
    check(({ spentNanos, projectedNanos, band }) => {
      assert.ok(spentNanos <= projectedNanos);
      if (!band) return;
      assert.ok(spentNanos <= band.lowNanos && band.lowNanos <= projectedNanos);
      assert.ok(projectedNanos <= band.highNanos);
    });
  });

  test('rounding changes at most a quarter of the range, and a twentieth of the forecast', () => {
    check(({ projectedNanos, roundedNanos, band }) => {
      const taken = magnitude(roundedNanos - projectedNanos);
      assert.ok(taken * 20n <= projectedNanos);
      if (band) assert.ok(taken * 4n <= band.highNanos - band.lowNanos);
    });
  });

  test('the same is true for each day', () => {
    check(({ daily }) => {
      for (const { costNanos, projectedNanos, band } of daily) {
        if (projectedNanos === null) assert.equal(band, null);
        if (projectedNanos === null || !band) continue;
        assert.ok((costNanos ?? 0n) <= band.lowNanos && band.lowNanos <= projectedNanos);
        assert.ok(projectedNanos <= band.highNanos);
      }
    });
  });

  test('the days add up exactly to what is spent and to the forecast', () => {
    check(({ daily, spentNanos, projectedNanos }, now, costs) => {
      const today = dayOf(now);
      const spent = [...costs].filter(([day]) => day.slice(0, 7) === today.slice(0, 7));
      assert.equal(
        spentNanos,
        spent.reduce((sum, [, cost]) => sum + cost, 0n),
      );
      assert.equal(
        daily.reduce((sum, { costNanos }) => sum + (costNanos ?? 0n), 0n),
        spentNanos,
      );
      assert.equal(
        daily.reduce((sum, day) => sum + (day.projectedNanos ?? day.costNanos!), 0n),
        projectedNanos,
      );
    });
  });

  test('without history there is no range, and confidence says so', () => {
    check(({ band, confidence }, now, costs) => {
      const wholeDays = [...costs.keys()].filter((day) => day < dayOf(now)).length;
      assert.equal(confidence === 'none', wholeDays === 0);
      if (wholeDays < 28 + 42) assert.notEqual(confidence, 'good');
      if (confidence === 'good') assert.notEqual(band, null);
      if (confidence === 'none') assert.equal(band, null);
    });
  });

  test('ten times the cost gives ten times the forecast', () => {
    fc.assert(
      fc.property(anyHistory, ({ now, costs }) => {
        const one = projectMonth(now, historyOf({ now, costs }));
        const ten = projectMonth(now, historyOf({ now, costs: costs.map((cost) => cost * 10n) }));
        const difference = ten.projectedNanos - one.projectedNanos * 10n;
        // Each of at most 31 days and the rest of today is rounded down.
        assert.ok(difference >= 0n && difference <= 320n, `${difference}`);
      }),
      { numRuns: 100 },
    );
  });
});
