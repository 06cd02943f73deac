/**
 * `npm run crash-points -- [--continue] [scenario] [statement] [mode]`: repeats a scenario with a fault at each of its
 * statements, and compares what is stored and sent with the scenario without faults. Each scenario writes its row of
 * docs/reliability.md. Exits with 1 at a difference. `--continue` goes on where a signal stopped it.
 */
import { parseArgs } from 'node:util';
import { count, measuredNow, rowsOf, tableOf, writeSection } from '../faults/reliabilityPage.ts';
import { closeShared } from '../harness/shared.ts';
import { faultsAt, modes, type Fault } from './faultyPostgres.ts';
import { openReceivers, type Receivers } from './receivers.ts';
import { scenarios, type Scenario } from './scenarios.ts';
import { differences, prepareScenario } from './trial.ts';

const everyTrials = 100;
const heading = 'At each statement';

let isStopping = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => (isStopping = true));

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    options: { continue: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const [only, statement, mode] = positionals;
  refuse('scenario', only, Object.keys(scenarios));
  refuse('mode', mode, modes);
  const receivers = await openReceivers();
  let failures = 0;
  for (const [name, scenario] of Object.entries(scenarios)) {
    const before = values.continue ? storedRow(name) : null;
    if (isStopping || (only !== undefined && name !== only) || before?.isWhole) continue;
    const row = await tryAll(name, scenario, {
      receivers,
      isFault: (fault) => fault.at === (statement ?? fault.at) && fault.mode === (mode ?? fault.mode),
      before,
    });
    failures += row.failures;
    if (statement === undefined) writeSection(heading, sectionOf(row));
  }
  await closeShared();
  return failures === 0 ? 0 : 1;
}

type Row = {
  name: string;
  statements: number;
  done: number;
  trials: number;
  failures: number;
  unreached: number;
};

const titleOf = (name: string) => name.replaceAll('-', ' ');

type Before = Pick<Row, 'done' | 'failures' | 'unreached'> & { isWhole: boolean };

/** Null if another program or another day wrote it. */
function storedRow(name: string): Before | null {
  const cells = rowsOf(heading).get(titleOf(name));
  if (cells?.at(-1) !== measuredNow()) return null;
  const [done = 0, failures = 0, unreached = 0] = cells
    .slice(2)
    .map((cell) => parseInt(cell.replace(',', '')));
  return { done, failures, unreached, isWhole: !cells[2]!.includes(' of ') };
}

function sectionOf({ name, statements, done, trials, failures, unreached }: Row): string {
  const headings = ['Scenario', 'Statements', 'Trials', 'Differ', 'Without the fault', 'Measured'];
  const tried = done < trials ? `${count(done)} of ${count(trials)}` : count(trials);
  const cells = [titleOf(name), count(statements), tried, count(failures), count(unreached), measuredNow()];
  const rows = rowsOf(heading).set(cells[0]!, cells);
  const sorted = Object.keys(scenarios).map((each) => rows.get(titleOf(each)));
  return `\`\`\`sh
npm run crash-points                                       # all, in an hour or two
npm run crash-points -- reports                            # one scenario
npm run crash-points -- --continue reports                 # after it was interrupted
npm run crash-points -- alert 79de05ae.1 lost-after        # one trial again, as a difference names it
\`\`\`

${tableOf([headings, ...sorted.filter((row) => row !== undefined)])}

Each trial has its own copy of the scenario's database, and one fault at one of the statements that the program sends: the connection
breaks before the server gets it (\`lost-before\`) or after it was done (\`lost-after\`, so that nobody knows whether a commit
happened), or the program ends before or after it (\`dead-before\`, \`dead-after\`) and is started again. Senders send again what
nobody acknowledged, and work is done again after its lease. Then the rows of each table, the sums of all its numbers and the counts of
its states must be those of the scenario without faults, and so must the events, mails and files that were sent. A mail may come
twice, because no receiver sees which is which; texts, times and JSON are not compared. The [auditor](#by-an-auditor) computes the
totals of each trial from the requests that were acknowledged.

A statement is named by the hash of its text and how often that was sent. Work at the same time polls not as often each time, so some
trials end before their statement (**without the fault**). Left out are columns that count attempts or say how long one took,
attempts whose outcome nobody knows, the audit entries of rotated secrets, and, where an invitation is sent again, the invitations, mails
and audit entries of the second one.`;
}

function refuse(what: string, given: string | undefined, known: readonly string[]): void {
  if (given === undefined || known.includes(given)) return;
  console.error(`There is no ${what} ${given}. Name one of: ${known.join(', ')}.`);
  process.exit(2);
}

type Wanted = {
  receivers: Receivers;
  isFault: (fault: Fault) => boolean;
  before: Before | null;
};

async function tryAll(
  name: string,
  scenario: Scenario,
  { receivers, isFault, before }: Wanted,
): Promise<Row> {
  const { trial, remove } = await prepareScenario(scenario, receivers);
  const whole = await trial();
  const faults = faultsAt(whole.statements).filter(isFault);
  if (faults.length === 0) throw new Error(`${name} sends no such statement`);
  let { done, failures, unreached } = before ?? { done: 0, failures: 0, unreached: 0 };
  for (const fault of faults.slice(done)) {
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
    done++;
    if (done % everyTrials === 0) console.error(`${name}: ${done} of ${faults.length} trials`);
    if (isStopping) break;
  }
  await remove();
  const row = { name, statements: whole.statements.size, done, trials: faults.length, failures, unreached };
  console.log(JSON.stringify(row));
  return row;
}

process.exit(await main());
