import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { apiFields, ourFields } from './apiFields.ts';
import {
  addDays,
  dayOf,
  daysOf,
  previousOf,
  startOfDay,
  unitOf,
  windowBetween,
  windowEnding,
} from './days.ts';
import { createVault } from './encryption.ts';
import { invalid, InvalidFields, within } from './errors.ts';
import { derivedId, isUuid, timeOrderedUuid } from './ids.ts';
import { divideHalfEven, formatNanos, usd } from './money.ts';
import { isPublicAddress } from './publicAddress.ts';
import { isBlank, oneLine, visibleCharacter } from './text.ts';
import { parseInstant, readInstant } from './time.ts';
import { enterShort, inTurns } from './turns.ts';

const nanos = fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n });

test('nano-dollars are written as exact decimal numbers', () => {
  const cases: [bigint, string][] = [
    [0n, '0'],
    [1n, '0.000000001'],
    [8_000_000n, '0.008'],
    [1_500_000_000n, '1.5'],
    [-1_000_000_001n, '-1.000000001'],
    [9_007_199_254_740_993_000_000_001n, '9007199254740993.000000001'],
  ];
  for (const [amount, text] of cases) {
    assert.equal(formatNanos(amount), text);
    assert.equal(JSON.stringify({ cost: usd(amount) }), `{"cost":${text}}`);
  }
});

test('no amount loses a digit when written', () => {
  fc.assert(
    fc.property(nanos, (amount) => {
      const [, sign, whole, fraction] = /^(-?)(\d+)(?:\.(\d{1,9}))?$/.exec(formatNanos(amount))!;
      const magnitude = BigInt(whole!) * 1_000_000_000n + BigInt((fraction ?? '').padEnd(9, '0'));
      assert.equal(sign ? -magnitude : magnitude, amount);
    }),
  );
});

test('division rounds half to even', () => {
  const cases: [bigint, bigint, bigint][] = [
    [5n, 2n, 2n],
    [7n, 2n, 4n],
    [1n, 3n, 0n],
    [2n, 3n, 1n],
    [0n, 9n, 0n],
    [15n, 10n, 2n],
    [25n, 10n, 2n],
  ];
  for (const [dividend, divisor, quotient] of cases)
    assert.equal(divideHalfEven(dividend, divisor), quotient);
});

test('windows end today, touch each other and never overlap', () => {
  const window = windowEnding('2024-03-01', 30);
  assert.deepEqual(window, { start: '2024-02-01', end: '2024-03-01', days: 30 });
  assert.deepEqual(previousOf(window, 'day'), { start: '2024-01-02', end: '2024-01-31', days: 30 });
  assert.equal(daysOf(window).length, 30);
  assert.ok(daysOf(window).includes('2024-02-29'));
  assert.equal(addDays('2025-12-31', 1), '2026-01-01');
});

test('what a window is compared with depends on its shape only', () => {
  const cases: [start: string, end: string, previousStart: string, previousEnd: string][] = [
    // Whole months.
    ['2026-11-01', '2026-11-30', '2026-10-01', '2026-10-31'],
    ['2026-03-01', '2026-03-31', '2026-02-01', '2026-02-28'],
    ['2026-01-01', '2026-03-31', '2025-10-01', '2025-12-31'],
    ['2024-01-01', '2024-12-31', '2023-01-01', '2023-12-31'],
    // This month, up to a day that the last one has, or not.
    ['2026-11-01', '2026-11-22', '2026-10-01', '2026-10-22'],
    ['2026-03-01', '2026-03-30', '2026-02-01', '2026-02-28'],
    ['2026-01-01', '2026-01-02', '2025-12-01', '2025-12-02'],
    ['2026-03-01', '2026-03-01', '2026-02-01', '2026-02-01'],
    ['2026-06-01', '2026-06-01', '2026-05-01', '2026-05-01'],
    // This week, and a whole one.
    ['2026-03-16', '2026-03-16', '2026-03-09', '2026-03-09'],
    ['2026-03-16', '2026-03-18', '2026-03-09', '2026-03-11'],
    ['2026-03-16', '2026-03-22', '2026-03-09', '2026-03-15'],
    // Days.
    ['2026-11-03', '2026-11-03', '2026-11-02', '2026-11-02'],
    ['2026-03-15', '2026-03-15', '2026-03-14', '2026-03-14'],
    ['2026-11-02', '2026-11-30', '2026-10-04', '2026-11-01'],
    ['2026-10-01', '2026-11-22', '2026-08-09', '2026-09-30'],
    ['2026-03-15', '2026-03-18', '2026-03-11', '2026-03-14'],
  ];
  for (const [start, end, previousStart, previousEnd] of cases) {
    const window = windowBetween(start, end);
    const previous = windowBetween(previousStart, previousEnd);
    assert.deepEqual(previousOf(window, unitOf(window)), previous, `${start} to ${end}`);
  }
  const fromSunday = windowBetween('2026-03-15', '2026-03-18');
  assert.equal(unitOf(fromSunday, 'sunday'), 'week');
  assert.deepEqual(previousOf(fromSunday, 'week'), windowBetween('2026-03-08', '2026-03-11'));
  assert.equal(unitOf(windowBetween('2026-03-15', '2026-03-15'), 'sunday'), 'week');
  // A part of a month that the plan's history cuts.
  assert.deepEqual(
    previousOf(windowBetween('2026-03-30', '2026-03-31'), 'month'),
    windowBetween('2026-02-28', '2026-02-28'),
  );
});

test('a day has exactly the instants from its midnight to the next, in UTC', () => {
  assert.equal(dayOf(new Date('2026-03-29T23:59:59.999Z')), '2026-03-29');
  assert.equal(dayOf(new Date('2026-03-30T01:30:00+02:00')), '2026-03-29');
  assert.equal(dayOf(startOfDay('2026-03-29')), '2026-03-29');
});

test('a vault opens its ciphertext only unaltered and with the same key', () => {
  const vault = createVault([Buffer.alloc(32, 1)]);
  const other = createVault([Buffer.alloc(32, 2)]);
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.nat(), (secret, place) => {
      const sealed = vault.seal(secret);
      assert.equal(vault.open(sealed), secret);
      assert.throws(() => other.open(sealed));
      const altered = Buffer.from(sealed);
      altered[place % altered.length]! ^= 1;
      assert.throws(() => vault.open(altered));
      assert.notDeepEqual(vault.seal(secret), sealed);
    }),
  );
  assert.notEqual(vault.fingerprint, other.fingerprint);
});

test('time-ordered ids are UUIDs of version 7 and sort by time', () => {
  const [early, late] = ['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.001Z'].map((at) =>
    timeOrderedUuid(new Date(at)),
  );
  assert.ok(isUuid(early!) && early![14] === '7');
  assert.ok(early! < late!);
});

test('derived ids are the same for the same parts, and depend on where a part ends', () => {
  assert.equal(derivedId('wf', 'a', 'b'), derivedId('wf', 'a', 'b'));
  assert.notEqual(derivedId('wf', 'ab', 'c'), derivedId('wf', 'a', 'bc'));
});

test('instants need a real date and a zone', () => {
  assert.equal(
    readInstant('at', '2026-01-31T10:30:00.123456+01:00').toISOString(),
    '2026-01-31T09:30:00.123Z',
  );
  for (const text of ['2026-02-30T00:00:00Z', '2026-01-31', '2026-01-31T10:30:00', 'yesterday', '', '1e9']) {
    assert.throws(() => readInstant('at', text), /at must be an ISO 8601 date-time/);
  }
});

test('a time is read as Temporal reads it', () => {
  const fields = fc.tuple(
    fc.constantFrom('1969', '2024', '2026', '9999', '+012026', '-000001'),
    fc.constantFrom('00', '01', '02', '12', '13'),
    fc.constantFrom('00', '01', '28', '29', '30', '31', '32'),
    fc.constantFrom('T', 't', ' '),
    fc.constantFrom('00:00:00', '23:59:59', '23:59:60', '24:00:00', '12:30', '7:00:00'),
    fc.constantFrom('', '.5', '.000', '.123', '.123456789', '.1234567891'),
    fc.constantFrom('Z', 'z', '', ' ', '+01:00', 'X', 'Z '),
  );
  fc.assert(
    fc.property(fields, ([year, month, day, ...time]) => {
      const text = `${year}-${month}-${day}${time.join('')}`;
      assert.deepEqual(parseInstant(text), readByTemporal(text), text);
    }),
    { numRuns: 3_000 },
  );
});

function readByTemporal(text: string): Date | null {
  try {
    return new Date(Temporal.Instant.from(text).epochMilliseconds);
  } catch {
    return null;
  }
}

test('one line of text has no invisible characters and no changes of direction', () => {
  const cases: [string, string][] = [
    ['  a\r\n\tb\u2028c\u0085d\0e  ', 'a b c d e'],
    ['\u202Egnp.exe\u202C', 'gnp.exe'],
    ['a\u061C\u200B\u200C\u200D\u200E\u200Fb\u202A\u202B\u202C\u202D\u202Ec', 'abc'],
    ['a\u2060\u2061\u2062\u2063\u2064\u2065\u2066\u2067\u2068\u2069b\uFEFFc\u{E0041}d', 'abcd'],
    ['a\uD83D', 'a\uFFFD'],
    ['🛠\uFE0F 統 é', '🛠\uFE0F 統 é'],
    [' \u202E ', ''],
  ];
  for (const [text, line] of cases) assert.equal(oneLine(text), line);
});

test('spaces, controls and ignorable characters are blank, in patterns with and without Unicode', () => {
  const unseen = /^[\s\p{Cc}\p{Default_Ignorable_Code_Point}]$/u;
  const withoutUnicode = new RegExp(visibleCharacter);
  for (let code = 0; code <= 0xff_ff; code++) {
    const character = String.fromCharCode(code);
    assert.equal(isBlank(character), unseen.test(character), code.toString(16));
    assert.equal(isBlank(character), !withoutUnicode.test(character), code.toString(16));
  }
  assert.ok(isBlank('') && isBlank(' \u200B\u202E\t') && !isBlank(' \u200B.\u202E'));
});

test('a long loop gives others a turn', async () => {
  let turns = 0;
  const count = (): void => {
    turns++;
  };
  setImmediate(count);
  const seen: number[] = [];
  for await (const item of inTurns([1, 2, 3])) {
    seen.push(item);
    const end = performance.now() + 11;
    while (performance.now() < end);
  }
  assert.deepEqual([seen, turns], [[1, 2, 3], 1]);
});

test('a long loop waits for short requests, but not forever', async (context) => {
  const seen: string[] = [];
  let now = 0;
  context.mock.method(performance, 'now', () => now);
  const work = (name: string): void => {
    seen.push(name);
    now += 5;
  };
  const leave = enterShort();
  setImmediate(() => setImmediate(() => (seen.push('request'), leave())));
  for await (const item of inTurns(['first', 'second'])) work(item);
  enterShort();
  for await (const item of inTurns(['third', 'fourth'])) work(item);
  assert.deepEqual(seen, ['first', 'request', 'second', 'third', 'fourth']);
});

test('knows addresses that the internet cannot reach', () => {
  for (const address of [
    'http://localhost:4100',
    'http://127.0.0.1',
    'http://10.1.2.3',
    'https://192.168.1.9:8443',
    'https://172.20.0.3',
    'http://[::1]:4100',
    'http://runcost',
    'https://runcost.internal',
    'https://0.0.0.0:4100',
  ]) {
    assert.equal(isPublicAddress(address), false, address);
  }
  for (const address of ['https://runcost.acme.example', 'https://172.15.0.1', 'http://198.51.100.7:4100'])
    assert.equal(isPublicAddress(address), true, address);
});

test('a fault of fields says them in the names of whoever asks', () => {
  const fault = invalid('until', (nameOf) => `must be after ${nameOf('since')}`);
  assert.equal(fault.message, 'until must be after since');
  const named = fault.within('jobs[3]').named((field) => `body.${field}`);
  assert.equal(named.message, 'body.jobs[3].until must be after body.jobs[3].since');
  assert.deepEqual(
    [named.kind, named.code, named.errors],
    [
      'invalid',
      'invalid_request',
      [{ path: 'body.jobs[3].until', message: 'must be after body.jobs[3].since' }],
    ],
  );
  assert.ok(!(named instanceof InvalidFields));
});

test('a fault of the whole input has no field, and within a part the name of the part', () => {
  const refuse = () => {
    throw invalid('', 'must not be empty');
  };
  assert.throws(refuse, { message: 'must not be empty' });
  assert.throws(() => within('query', refuse), { message: 'query must not be empty' });
  const other = new Error('other');
  assert.throws(
    () =>
      within('query', () => {
        throw other;
      }),
    other,
  );
});

test('fields get the names and numbers of the API', () => {
  const at = new Date(0);
  assert.deepEqual(
    apiFields({ createdAt: at, jobs: 2n, costNanos: 8_000_000n, totalNanos: null, isNew: true }),
    {
      created_at: at,
      jobs: 2,
      cost: usd(8_000_000n),
      total: null,
      is_new: true,
    },
  );
  assert.deepEqual(ourFields({ time_zone: 'UTC', week_start: undefined, name: null }), {
    timeZone: 'UTC',
    name: null,
  });
});
