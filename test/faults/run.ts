/**
 * `npm run faults -- --minutes N [--seed S] [--fault kill]`: runs the scenario of the tests with one fault after another, or
 * with this one only, until the time is over. Writes their rows of docs/reliability.md. Exits with 1 if anything is lost,
 * doubled or wrong.
 */
import { randomInt } from 'node:crypto';
import { constants } from 'node:os';
import { parseArgs } from 'node:util';
import { openStorage } from '../../bench/storage.ts';
import { mountPowerDisk, mountSmallDisk } from './disk.ts';
import { count, measuredNow, rowsOf, tableOf, writeSection } from './reliabilityPage.ts';
import { lineOf, runScenario, type Fault, type Outcome } from './scenario.ts';

const titles: Record<Fault, string> = {
  kill: '`kill -9` of the program',
  pause: 'The program stands still (SIGSTOP, SIGCONT)',
  crash: 'PostgreSQL crashes and recovers',
  disk: 'The disk of the database is full',
  power: 'The power is cut: the disk loses what was not synced',
};
const allFaults = Object.keys(titles) as Fault[];
const faultsPerRound = 3;
const heading = 'At random moments';

type Row = { fault: Fault; seed: number; rounds: number; failures: string[]; sum: Outcome };

async function main(): Promise<number> {
  const options = {
    minutes: { type: 'string' },
    seed: { type: 'string' },
    fault: { type: 'string' },
  } as const;
  const { values } = parseArgs({ options });
  const minutes = Number(values.minutes ?? 30);
  const firstSeed = Number(values.seed ?? randomInt(2 ** 31));
  const deadline = performance.now() + minutes * 60_000;
  const rows = faultsHere()
    .filter((fault) => fault === (values.fault ?? fault))
    .map((fault): Row => ({ fault, seed: firstSeed, rounds: 0, failures: [], sum: { ...none } }));
  if (rows.length === 0) throw new Error(`only these can be caused here: ${faultsHere().join(', ')}`);
  for (let round = 0; performance.now() < deadline; round++) {
    await runRound(rows[round % rows.length]!, firstSeed + round);
  }
  writeSection(heading, sectionOf(rows.filter(({ rounds }) => rounds > 0)));
  return rows.some(hasFailed) ? 1 : 0;
}

function faultsHere(): Fault[] {
  const mounted = { disk: mountSmallDisk(), power: mountPowerDisk() };
  for (const disk of Object.values(mounted)) disk?.unmount();
  return allFaults.filter((fault) => !(fault in mounted) || mounted[fault as keyof typeof mounted]);
}

async function runRound(row: Row, seed: number): Promise<void> {
  const { fault } = row;
  const disk = fault === 'disk' ? mountSmallDisk() : null;
  const power = fault === 'power' ? mountPowerDisk() : null;
  const storage = openStorage(disk?.folder ?? power?.folder);
  row.rounds++;
  const title = `${fault}, seed ${seed}`;
  try {
    const faults = Array.from({ length: faultsPerRound }, () => fault);
    const fillDisk = disk?.fill;
    const outcome = await runScenario(storage, {
      faults,
      seed,
      isVerified: true,
      ...(fillDisk ? { fillDisk } : {}),
      ...(power ? { power } : {}),
    });
    for (const key of Object.keys(none) as (keyof Outcome)[]) row.sum[key] += outcome[key];
    console.log(`${title}: ${lineOf(outcome)}`);
  } catch (error) {
    row.failures.push(`${title}: ${(error as Error).message}`);
    console.log(row.failures.at(-1));
  } finally {
    storage.close();
    disk?.unmount();
    power?.unmount();
  }
}

const none: Outcome = { acknowledged: 0, lost: 0, doubled: 0, wrong: 0, restarts: 0, sentAgain: 0 };

function hasFailed({ sum, failures }: Row): boolean {
  return sum.lost + sum.doubled + sum.wrong + failures.length > 0;
}

function sectionOf(measured: readonly Row[]): string {
  const rows = rowsOf(heading);
  for (const { fault, seed, rounds, sum } of measured)
    rows.set(titles[fault], [
      titles[fault],
      count(rounds * faultsPerRound),
      ...[sum.acknowledged, sum.lost, sum.doubled, sum.wrong, sum.sentAgain, sum.restarts].map(count),
      `seed ${seed}, ${measuredNow()}`,
    ]);
  const headings = 'Fault|Times|Acknowledged|Lost|Doubled|Wrong sums|Sent again|Program restarts|Measured';
  const sorted = allFaults.map((fault) => rows.get(titles[fault])).filter((row) => row !== undefined);
  const failures = measured.flatMap((row) => row.failures);
  return `\`\`\`sh
npm run faults -- --minutes 30 --seed 7       # all, with the runs and moments of this seed
npm run faults -- --minutes 6 --fault ${allFaults.at(-1)}    # one of ${allFaults.join(', ')}
\`\`\`

${tableOf([headings.split('|'), ...sorted])}
${failures.length === 0 ? '' : `\nRounds that ended with an error:\n\n${failures.map((each) => `- ${each.split('\n')[0]}`).join('\n')}\n`}
Each round starts the program on a new database. Four senders report runs at once: batches of up to 20 runs by
\`POST /api/v1/runs\`, and GitHub's signed webhooks. They send each request again until it is acknowledged. The fault happens
three times at random moments, and after each one runs must be acknowledged again within a minute. The program is started again
whenever it ends, as a supervisor does, and the program starts its PostgreSQL again, which runs with its default durability
settings. A full disk is one of 256 MB in memory that a file fills for up to two seconds. A power cut stops an ext4 file system at once:
what it had not written is gone, the program and its PostgreSQL are killed, and the disk recovers from its journal. On 2026-11-30,
three such rounds with \`synchronous_commit = off\` lost 110 to 306 acknowledged runs each. The command
leaves out the full disk and the power cut if you cannot mount disks.

At the end of the round, the program's answers are compared with the database:

- **Acknowledged**: runs whose requests were all answered with 200 or 202.
- **Lost**: acknowledged runs that are not stored with all their jobs.
- **Doubled**: how often the daily sums count a run or job beyond once, though many requests were sent again.
- **Wrong sums**: jobs whose stored cost differs from the one computed from what was sent, batches stored in part, and daily
  sums that differ from their jobs by a nano-dollar or more. \`runcost verify\` must find nothing either.`;
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => process.exit(128 + constants.signals[signal])); // "exit" handlers stop the processes
}

process.exitCode = await main();
