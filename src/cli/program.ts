import { Command } from 'commander';
import { settings } from '../config.ts';
import { addAlertCommands } from './alert.ts';
import { addBackfillCommands } from './backfill.ts';
import { addBillCommands } from './bill.ts';
import { addDemoCommand } from './demo.ts';
import { addExportCommand } from './export.ts';
import { addMemberCommands } from './member.ts';
import { addMigrateCommand } from './migrate.ts';
import { addOrganizationCommands } from './org.ts';
import { addPriceCommands } from './price.ts';
import { addRepriceCommands } from './reprice.ts';
import { addRunCommands } from './run.ts';
import { addServeCommand } from './serve.ts';
import { addSessionCommands } from './sessions.ts';
import { addSignInCommand } from './signIn.ts';
import { addTokenCommands } from './token.ts';
import { addWasteCommand } from './waste.ts';
import { addWebhookCommands } from './webhook.ts';

/** The whole command line, ready to parse. */
export function buildCli(): Command {
  const program = newProgram()
    .description('Know what CI/CD costs, to the last job, before the bill arrives.')
    .addHelpText('after', settingsHelp())
    .hook('preSubcommand', ({ args: [word], commands }) => refuseUnknown(word, commands));
  addServeCommand(program);
  addSignInCommand(program);
  addSessionCommands(program);
  addOrganizationCommands(program);
  addTokenCommands(program);
  addMemberCommands(program);
  addAlertCommands(program);
  addWebhookCommands(program);
  addBackfillCommands(program);
  addExportCommand(program);
  addRunCommands(program);
  addWasteCommand(program);
  addPriceCommands(program);
  addRepriceCommands(program);
  addBillCommands(program);
  addMigrateCommand(program);
  addDemoCommand(program);
  for (const command of program.commands) command.showHelpAfterError(helpHint);
  return program;
}

const helpHint = '(--help shows what there is)';

function newProgram(): Command {
  return new Command('runcost').showHelpAfterError(helpHint).helpCommand(false);
}

/**
 * Ends the process where the first word names no command: it would go to `serve`, the command that needs no name, as an
 * argument too many. A program without such a command says what is wrong, and which name is nearest.
 */
function refuseUnknown(word: string | undefined, commands: readonly Command[]): void {
  const names = commands.map((command) => command.name());
  if (word === undefined || word.startsWith('-') || names.includes(word)) return;
  const owners = commands.filter((command) => command.commands.some((sub) => sub.name() === word));
  const named = newProgram();
  if (owners.length > 0) {
    const meant = owners.map((command) => `${command.name()} ${word}`).join(', ');
    named.error(`error: unknown command '${word}'\n(Did you mean ${meant}?)`);
  }
  for (const name of names) named.command(name);
  named.parse([word], { from: 'user' });
}

function settingsHelp(): string {
  const width = Math.max(...settings.map(([name]) => name.length));
  const lines = settings.map(
    ([name, value, text]) => `  ${name.padEnd(width)}  ${text}${value ? ` (${value})` : ''}`,
  );
  return `\nSettings, as environment variables:\n${lines.join('\n')}\n`;
}
