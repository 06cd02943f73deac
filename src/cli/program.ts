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
import { addServeCommand } from './serve.ts';
import { addSignInCommand } from './signIn.ts';
import { addTokenCommands } from './token.ts';
import { addWasteCommand } from './waste.ts';
import { addWebhookCommands } from './webhook.ts';

/** The whole command line, ready to parse. */
export function buildCli(): Command {
  const program = new Command('runcost')
    .description('Know what CI/CD costs, to the last job, before the bill arrives.')
    .showHelpAfterError('(--help shows what there is)')
    .helpCommand(false)
    .addHelpText('after', settingsHelp());
  addServeCommand(program);
  addSignInCommand(program);
  addOrganizationCommands(program);
  addTokenCommands(program);
  addMemberCommands(program);
  addAlertCommands(program);
  addWebhookCommands(program);
  addBackfillCommands(program);
  addExportCommand(program);
  addWasteCommand(program);
  addPriceCommands(program);
  addRepriceCommands(program);
  addBillCommands(program);
  addMigrateCommand(program);
  addDemoCommand(program);
  for (const command of program.commands) command.showHelpAfterError('(--help shows what there is)');
  return program;
}

function settingsHelp(): string {
  const width = Math.max(...settings.map(([name]) => name.length));
  const lines = settings.map(
    ([name, value, text]) => `  ${name.padEnd(width)}  ${text}${value ? ` (${value})` : ''}`,
  );
  return `\nSettings, as environment variables:\n${lines.join('\n')}\n`;
}
