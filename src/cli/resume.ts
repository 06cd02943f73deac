import type { Command } from 'commander';
import { describeHold, findHold, setHold } from '../platform/db/installation.ts';
import { withApp } from './command.ts';
import { printNote } from './output.ts';

export function addResumeCommand(program: Command): void {
  program
    .command('resume')
    .description('end the hold of a restored, copied or moved Runcost')
    .addHelpText('after', help)
    .action(() =>
      withApp(async ({ db }) => {
        const hold = await findHold(db);
        if (!hold) return printNote('It is not on hold.');
        await setHold(db, null);
        printNote(
          `${describeHold(hold)} The hold has ended: messages, webhooks, alert checks and backfills continue.`,
        );
      }),
    );
}

const help = `
A copy sends nothing by itself, because the original does. End the hold when this one takes over, and stop the original.
What waited is sent: receivers know an event that the original has sent by its id.
`;
