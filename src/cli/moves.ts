import { formatCount, printLeftOut, printNote, printTable, printWrapped } from './output.ts';
import type { Answer } from './session.ts';
import { dollarsOf } from './tables.ts';
import { maxRows, type TailoredGroup } from './verbCommand.ts';

function printMoves({ data, pagination }: Answer): void {
  const { period, moves, must_stay: staying, saving_per_month: saving, assumptions } = data;
  if (moves.length === 0) printNote(`No matching moves from ${period.start} to ${period.end}.`);
  else {
    console.log(`Moves save ${dollarsOf(saving)} a month.\n`);
    printTable(
      ['STATE', 'FROM', 'TO', 'MINUTES', 'NOW', 'THEN', 'FACTOR', 'SAVES'],
      (moves as Answer[]).map((move) => [
        move.state,
        move.from.title,
        move.to.title,
        formatCount(Math.round(move.minutes)),
        dollarsOf(move.cost_now),
        move.cost_then === null ? '' : dollarsOf(move.cost_then),
        move.speed === null ? '' : factorText(move.speed),
        move.state === 'move' ? dollarsOf(move.saving_per_month) : '',
      ]),
    );
    for (const { text, jobs, job_count: count } of moves as Answer[]) {
      console.log();
      printWrapped(text, 0);
      for (const { repository, workflow, job } of jobs.slice(0, 3))
        printWrapped(`${repository} ${workflow}: ${job}`, 2);
      if (count > 3) console.log(`  and ${formatCount(count - 3)} more`);
    }
  }
  if (staying.length > 0) console.log();
  for (const { text } of staying as Answer[]) printWrapped(text, 0);
  for (const text of assumptions) printNote(text);
  printLeftOut(moves.length, pagination.total, 'moves', maxRows);
}

function factorText({ factor, low, high }: Answer): string {
  const [at, from, to] = [factor, low, high].map((each) => Number(each).toFixed(2));
  return `${at} (${from}–${to})`;
}

export const moveCommands: TailoredGroup = {
  'move list': {
    words: 'moves',
    options: { workflow_id: 'workflow' },
    limit: 10,
    print: printMoves,
    help: `
Examples:
  runcost moves
  runcost moves --repo acme/api --state trial
  runcost moves --json | jq -r '.[] | select(.state == "move") | .text'`,
  },
};
