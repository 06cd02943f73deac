/**
 * `npm run crash-points -- [scenario] [statement] [mode]`: repeats a scenario with a fault at each of its statements, and
 * compares what is stored and sent with the scenario without faults. All scenarios together write their section of
 * docs/reliability.md. Exits with 1 at a difference.
 */
import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { count, measuredHere, tableOf, writeSection } from '../faults/reliabilityPage.ts';
import { closeShared } from '../harness/shared.ts';
import { modes, type Fault } from './faultyPostgres.ts';
import { openReceivers, type Receivers } from './receivers.ts';
import { scenarios, type Scenario } from './scenarios.ts';
import { differences, prepareScenario } from './trial.ts';

const everyTrials = 100;

async function main([only, statement, mode]: string[]): Promise<number> {
  refuse('scenario', only, Object.keys(scenarios));
  refuse('mode', mode, modes);
  const receivers = await openReceivers();
  const rows: Row[] = [];
  for (const [name, scenario] of Object.entries(scenarios)) {
    if (only !== undefined && name !== only) continue;
    rows.push(
      await tryAll(name, scenario, { receivers, statement, mode: mode as Fault['mode'] | undefined }),
    );
  }
  await closeShared();
  if (only === undefined) writeSection('At each statement', sectionOf(rows));
  return rows.every(({ failures }) => failures === 0) ? 0 : 1;
}

type Row = { name: string; statements: number; trials: number; failures: number; unreached: number };

function sectionOf(rows: readonly Row[]): string {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  const headings = ['Scenario', 'Statements', 'Trials', 'Differ', 'Without the fault'];
  const cells = rows.map(({ name, statements, trials, failures, unreached }) => [
    name.replaceAll('-', ' '),
    ...[statements, trials, failures, unreached].map(count),
  ]);
  return `\`\`\`sh
npm run crash-points                                       # all, in hours
npm run crash-points -- reports                            # one scenario
npm run crash-points -- reports 919f439e.1 lost-after      # one trial again
\`\`\`

Measured with ${commit} on ${measuredHere()}.

${tableOf([headings, ...cells])}

Each trial has its own copy of the scenario's database, and one fault at one of the statements that the program sends: the connection
breaks before the server gets it (\`lost-before\`) or after it was done (\`lost-after\`, so that nobody knows whether a commit
happened), or the program ends before or after it (\`dead-before\`, \`dead-after\`) and is started again. Senders send again what
nobody acknowledged, and work is done again after its lease. Then the rows of each table, the sums of all its numbers and the counts of
its states must be those of the scenario without faults, and so must the events, mails and files that were sent. A mail may come
twice, because no receiver sees which is which; texts, times and JSON are not compared. The [auditor](#by-an-auditor) computes the
totals of each trial from the requests that were acknowledged.

A statement is named by the hash of its text and how often that was sent. Work at the same time polls not as often each time, so some
trials end before their statement (**without the fault**). Left out are columns that count attempts or say how long one took,
attempts whose outcome nobody knows, and, where an invitation is sent again, the invitations, mails and audit entries of the second one.`;
}

function refuse(what: string, given: string | undefined, known: readonly string[]): void {
  if (given === undefined || known.includes(given)) return;
  console.error(`There is no ${what} ${given}. Name one of: ${known.join(', ')}.`);
  process.exit(2);
}

type Wanted = { receivers: Receivers; statement: string | undefined; mode: Fault['mode'] | undefined };

async function tryAll(name: string, scenario: Scenario, wanted: Wanted): Promise<Row> {
  const { trial, remove } = await prepareScenario(scenario, wanted.receivers);
  const whole = await trial();
  const statements = wanted.statement === undefined ? [...whole.statements.keys()] : [wanted.statement];
  const faults = statements.flatMap((at) =>
    (wanted.mode === undefined ? modes : [wanted.mode]).map((mode): Fault => ({ at, mode })),
  );
  let [failures, unreached] = [0, 0];
  for (const [index, fault] of faults.entries()) {
    const failed = await trial(fault).then(
      (tried) => {
        // Polls beside other work are not as many each time.
        if (!tried.statements.has(fault.at)) unreached++;
        return differences(whole, tried);
      },
      (error: unknown) => [String(error)],
    );
    if (failed.length > 0) {
      failures++;
      const text = whole.statements.get(fault.at)?.replaceAll(/\s+/g, ' ').trim().slice(0, 160);
      console.log(
        `${name} ${fault.at} ${fault.mode}: ${text}\n${failed.map((line) => `  ${line}\n`).join('')}`,
      );
    }
    if ((index + 1) % everyTrials === 0) console.error(`${name}: ${index + 1} of ${faults.length} trials`);
  }
  await remove();
  const row = { name, statements: statements.length, trials: faults.length, failures, unreached };
  console.log(JSON.stringify(row));
  return row;
}

process.exit(await main(parseArgs({ allowPositionals: true }).positionals));
