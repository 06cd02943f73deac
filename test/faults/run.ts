/**
 * `npm run faults -- --minutes N [--seed S]`: runs the scenario of the tests with one fault after another until the time is
 * over, and writes its section of docs/reliability.md. Exits with 1 if anything is lost, doubled or wrong.
 */
import { randomInt } from 'node:crypto';
import { constants } from 'node:os';
import { parseArgs } from 'node:util';
import { openStorage } from '../../bench/storage.ts';
import { mountPowerDisk, mountSmallDisk } from './disk.ts';
import { count, measuredHere, tableOf, writeSection } from './reliabilityPage.ts';
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

type Row = { fault: Fault; rounds: number; failures: string[]; sum: Outcome };

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { minutes: { type: 'string' }, seed: { type: 'string' } } });
  const minutes = Number(values.minutes ?? 30);
  const firstSeed = Number(values.seed ?? randomInt(2 ** 31));
  const deadline = performance.now() + minutes * 60_000;
  const rows = faultsHere().map((fault): Row => ({ fault, rounds: 0, failures: [], sum: { ...none } }));
  for (let round = 0; performance.now() < deadline; round++) {
    await runRound(rows[round % rows.length]!, firstSeed + round);
  }
  writeSection('At random moments', sectionOf(rows, { minutes, seed: firstSeed }));
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

function sectionOf(rows: readonly Row[], run: { minutes: number; seed: number }): string {
  const cells = rows.map(({ fault, rounds, sum }) => [
    titles[fault],
    count(rounds * faultsPerRound),
    ...[sum.acknowledged, sum.lost, sum.doubled, sum.wrong, sum.sentAgain, sum.restarts].map(count),
  ]);
  const headings = 'Fault|Times|Acknowledged|Lost|Doubled|Wrong sums|Sent again|Program restarts'.split('|');
  const failures = rows.flatMap((row) => row.failures);
  const left = allFaults.filter((fault) => !rows.some((row) => row.fault === fault));
  const omitted = left
    .map((fault) => `\nLeft out, because this user cannot mount such a disk: ${titles[fault]}.\n`)
    .join('');
  return `\`\`\`sh
npm run faults -- --minutes 30
npm run faults -- --minutes ${run.minutes} --seed ${run.seed}      # the same runs and moments
\`\`\`

Measured for ${run.minutes} minutes with seed ${run.seed} on ${measuredHere()}.

${tableOf([headings, ...cells])}
${omitted}${failures.length === 0 ? '' : `\nRounds that ended with an error:\n\n${failures.map((each) => `- ${each.split('\n')[0]}`).join('\n')}\n`}
Each round starts the program on a new database. Four senders report runs at once: batches of up to 20 runs by
\`POST /api/v1/runs\`, and GitHub's signed webhooks. They send each request again until it is acknowledged. The fault happens
three times at random moments, and after each one runs must be acknowledged again within a minute. The program is started again
whenever it ends, as a supervisor does, and the program starts its PostgreSQL again, which runs with its default durability
settings. A full disk is one of 256 MB in memory that a file fills for up to two seconds. A power cut stops an ext4 file system at once:
what it had not written is gone, the program and its PostgreSQL are killed, and the disk recovers from its journal.

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
