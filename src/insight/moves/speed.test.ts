import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultPriceList } from '../../../test/harness/priceLists.ts';
import { randomOf } from '../../platform/lib/random.ts';
import { asPaid, decide, listSaving } from './decide.ts';
import { monthlyCost, type TimedJob, type Use } from './jobs.ts';
import { runnerOfKind, type PriceBasis } from './runners.ts';
import { speedOf } from './speed.ts';

const noise = 0.3;
const factors = [0.5, 0.7, 0.9, 1, 1.2, 1.5, 2];

/** Durations with a noise of 30%. */
function historyOf(seed: number) {
  const random = randomOf(seed);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const runs = (count: number, milliseconds: number) =>
    Array.from({ length: count }, () => Math.round(milliseconds * Math.exp(noise * normal())));
  return { random, runs };
}

test('the range has the true factor in at least 90% of histories', () => {
  const { runs } = historyOf(1);
  const total = { held: 0, all: 0 };
  for (const [before, after] of [
    [5, 5],
    [5, 40],
    [20, 20],
    [60, 8],
  ] as const) {
    let [held, all] = [0, 0];
    for (const truth of factors) {
      for (let history = 0; history < 60; history++) {
        const speed = speedOf(runs(before, 300_000), runs(after, 300_000 * truth))!;
        assert.ok(speed.low <= speed.factor && speed.factor <= speed.high);
        held += Number(speed.low <= truth && truth <= speed.high);
        all++;
      }
    }
    assert.ok(held / all >= 0.88, `${held} of ${all} with ${before} and ${after} runs`);
    total.held += held;
    total.all += all;
  }
  assert.ok(total.held / total.all >= 0.9, `${total.held} of ${total.all}`);
});

test('a few runs that took far too long move neither the factor nor the range by much', () => {
  const before = [100, 101, 102, 103, 104, 105, 106, 107, 108, 109];
  const after = before.map((ms) => ms * 1.5);
  const speed = speedOf(before, [...after.slice(0, -1), 100_000])!;
  assert.ok(Math.abs(speed.factor - 1.5) < 0.03, String(speed.factor));
  assert.ok(speed.high < 1.7, String(speed.high));
  assert.equal(speedOf(before, after.slice(0, 4)), null);
});

const basis: PriceBasis = { list: defaultPriceList, shadowRates: [], day: '2026-03-17' };
const github = defaultPriceList.providers.of('github')!;
const kindOf = (kind: string) => runnerOfKind(github, kind, basis);
const [four, two] = ['linux_4_core', 'linux_2_core'].map(kindOf) as [Use['runner'], Use['runner']];

const jobOn = (name: string, uses: Use[]): TimedJob => {
  return { workflowId: 'wf_1', name, provider: 'github', isFree: false, days: 30, uses };
};
const used = (runner: Use['runner'], ms: number[], isCurrent = true): Use => {
  return { runner, billed: ms, passed: ms.slice(-60), isCurrent };
};
const paysAll = { pools: [], paidShare: () => 10_000n };

test('no move is advised that loses money, and most that save are found', async () => {
  const { random, runs } = historyOf(2);
  const pairs = [
    [four, two],
    [two, four],
    [two, kindOf('linux_2_core_arm')],
    [kindOf('linux_8_core'), four],
  ] as const;
  let [advised, saving] = [0, 0];
  for (const [from, to] of pairs) {
    for (const truth of factors) {
      for (let round = 0; round < 20; round++) {
        const milliseconds = 20_000 + random() * 900_000;
        const [ran, tried] = [
          runs(40, milliseconds),
          runs(5 + Math.floor(random() * 30), milliseconds * truth),
        ];
        const { moves } = await decide([jobOn('test', [used(from, ran), used(to, tried, false)])], basis);
        const [isAdvised, all] = [moves.some(({ state }) => state === 'move'), { billed: ran, days: 30 }];
        const [now, then] = [monthlyCost(from.price!, all), monthlyCost(to.price!, all, truth)];
        if (isAdvised) assert.ok(then < now, `${from.key} to ${to.key}, × ${truth}, ${milliseconds} ms`);
        if (10n * then > 6n * now) continue;
        saving++;
        advised += Number(isAdvised);
      }
    }
  }
  assert.ok(advised > 0.9 * saving, `${advised} of ${saving}`);
});

const minutes = (count: number, each: number) =>
  Array.from({ length: count }, (_, index) => each * 60_000 - 1_000 * (index % 5));

test('short jobs keep their rounding: half the time of a minute costs a minute', async () => {
  const job = jobOn('lint', [
    used(two, minutes(30, 0.6)),
    used(kindOf('linux_4_core'), minutes(9, 0.3), false),
  ]);
  const { moves } = await decide([job], basis);
  const [stay] = moves;
  assert.equal(stay!.state, 'stay');
  assert.equal(stay!.jobs[0]!.after!.nanos, 30n * four.price!.nanosPerMinute);
  assert.equal(listSaving(stay!), 30n * (two.price!.nanosPerMinute - four.price!.nanosPerMinute));
});

test('a job that has moved away asks for nothing, and what nobody measured is a trial without a saving', async () => {
  const moved = jobOn('build', [used(four, minutes(30, 8), false), used(two, minutes(30, 9))]);
  const { moves } = await decide([moved, jobOn('test', [used(four, minutes(300, 8))])], basis);
  const found = asPaid(moves, paysAll);
  assert.deepEqual(
    found.map(({ state, from, savingNanos }) => [state, from.kind, savingNanos]),
    [
      ['trial', 'linux_4_core', 0n],
      ['trial', 'linux_4_core', 0n],
      ['stay', 'linux_2_core', 0n],
      ['trial', 'linux_2_core', 0n],
      ['trial', 'linux_2_core', 0n],
    ].toSorted((a, b) => Number(a[0] === 'stay') - Number(b[0] === 'stay')),
  );
});

test('names and time limits keep jobs where they are', async () => {
  const job = (name: string, each: number) => jobOn(name, [used(two, minutes(300, each))]);
  const { moves, staying } = await decide(
    [
      job('docker image', 3),
      job('build amd64', 9),
      job('test', 9),
      jobOn('ios', [used(kindOf('macos_12_core'), minutes(300, 9))]),
    ],
    basis,
  );
  const own = moves.filter(({ to }) => to.price!.source.type === 'price_list');
  assert.deepEqual(
    own.map(({ to, jobs }) => [to.kind, ...jobs.map(({ job: { name } }) => name)]),
    [['linux_2_core_arm', 'test', 'docker image']],
  );
  assert.deepEqual(
    staying.map(({ reason, jobs }) => [reason, jobs[0]!.job.name]),
    [
      ['system', 'ios'],
      ['time_limit', 'build amd64'],
    ],
  );
});

test('included minutes that pay a job make its move save nothing', async () => {
  const job = jobOn('test', [used(four, minutes(300, 8)), used(two, minutes(20, 9), false)]);
  const { moves } = await decide([job], basis);
  const pool = { covers: () => true, paidNanos: 0n };
  assert.equal(asPaid(moves, { ...paysAll, pools: [pool] })[0]!.state, 'covered');
  const [paid] = asPaid(moves, { ...paysAll, pools: [{ ...pool, paidNanos: 10n ** 12n }] });
  assert.deepEqual([paid!.state, paid!.savingNanos], ['move', listSaving(paid!)]);
  const half = listSaving(paid!) / 2n;
  assert.equal(asPaid(moves, { ...paysAll, pools: [{ ...pool, paidNanos: half }] })[0]!.savingNanos, half);
});

test('standard runners are free in public repositories, so only larger ones are worth moving', async () => {
  const free = (uses: Use[]) => ({ ...jobOn('test', uses), isFree: true });
  const standard = await decide(
    [free([used(two, minutes(300, 8)), used(four, minutes(20, 4), false)])],
    basis,
  );
  assert.deepEqual(standard.moves, []);
  const larger = await decide(
    [free([used(four, minutes(300, 8)), used(two, minutes(20, 30), false)])],
    basis,
  );
  const [move] = asPaid(larger.moves, paysAll);
  assert.deepEqual([move!.state, move!.savingNanos], ['move', move!.nowNanos]);
});

test('no job moves to a runner that would stop it', async () => {
  const slim = kindOf('linux_slim');
  const jobs = (longest: number) => [...minutes(30, 5), ...minutes(5, longest)];
  const stateOf = async (longest: number) => {
    const job = jobOn('test', [used(two, jobs(longest)), used(slim, minutes(9, 6), false)]);
    return (await decide([job], basis)).moves.map(({ state, to }) => [state, to.key])[0];
  };
  assert.deepEqual(await stateOf(6), ['move', 'linux_slim']);
  assert.notDeepEqual(await stateOf(14), ['move', 'linux_slim']);
});
