import { Command } from 'commander';
import { settings } from '../config.ts';
import { version } from '../platform/lib/commandLine.ts';
import { nearestOf } from '../platform/lib/text.ts';
import { addAlertCommands } from './alert.ts';
import { addAnnotationCommands } from './annotation.ts';
import { addAuditCommand } from './audit.ts';
import { addBackfillCommands } from './backfill.ts';
import { addBackupCommands } from './backup.ts';
import { addBillCommands } from './bill.ts';
import { addCompletionCommand } from './completion.ts';
import { addConnectCommands } from './connect.ts';
import { addCostsCommand } from './costs.ts';
import { addChangeCommand } from './costsChange.ts';
import { addDbCommand } from './db.ts';
import { addDemoCommand } from './demo.ts';
import { addDigestCommands } from './digest.ts';
import { addEstimateCommand } from './estimate.ts';
import { addExportCommand } from './export.ts';
import { addInviteCommand } from './invite.ts';
import { addDurationsCommand, addJobCommands, addWorkflowsCommand } from './lists.ts';
import { addMcpCommand } from './mcp.ts';
import { addMoveCommand } from './move.ts';
import { addMemberCommands, addOrganizationCommands } from './org.ts';
import { errorPrefix } from './output.ts';
import { addOwnershipCommands } from './ownership.ts';
import { addPriceCommands } from './price.ts';
import { addPullRequestCommands } from './pullRequest.ts';
import { addRepriceCommands } from './reprice.ts';
import { addResumeCommand } from './resume.ts';
import { addRunCommands } from './run.ts';
import { addScheduledExportCommands } from './scheduledExport.ts';
import { addMigrateCommand, addServeCommand } from './serve.ts';
import { addSessionCommands, addSignInCommand } from './sessions.ts';
import { addShareCommands } from './share.ts';
import { addShowbackCommand } from './showback.ts';
import { addTokenCommands } from './token.ts';
import { addVerifyCommand } from './verify.ts';
import { addWasteCommand } from './waste.ts';
import { addWebhookCommands } from './webhook.ts';

export function buildCli(): Command {
  const program = newProgram()
    .description('Know what CI/CD costs, to the last job, before the bill arrives.')
    .addHelpText('after', settingsHelp())
    .addHelpText('beforeAll', ({ command }) => refuseUnknown(command) ?? '')
    .hook('preSubcommand', showHelpOrRefuse);
  addServeCommand(program);
  addSignInCommand(program);
  addSessionCommands(program);
  addOrganizationCommands(program);
  addTokenCommands(program);
  addMemberCommands(program);
  addInviteCommand(program);
  addAlertCommands(program);
  addWebhookCommands(program);
  addConnectCommands(program);
  addBackfillCommands(program);
  addExportCommand(program);
  addScheduledExportCommands(program);
  addRunCommands(program);
  addJobCommands(program);
  addChangeCommand(addCostsCommand(program));
  addDurationsCommand(program);
  addWorkflowsCommand(program);
  addOwnershipCommands(program);
  addShowbackCommand(program);
  addAnnotationCommands(program);
  addDigestCommands(program);
  addPullRequestCommands(program);
  addShareCommands(program);
  addWasteCommand(program);
  addEstimateCommand(program);
  addMcpCommand(program);
  addPriceCommands(program);
  addRepriceCommands(program);
  addBillCommands(program);
  addBackupCommands(program);
  addVerifyCommand(program);
  addMoveCommand(program);
  addResumeCommand(program);
  addDbCommand(program);
  addMigrateCommand(program);
  addAuditCommand(program);
  addDemoCommand(program);
  addCompletionCommand(program);
  for (const command of groupsBelow(program))
    command.helpCommand(false).on('command:*', () => showHelpOrRefuse(command));
  for (const command of program.commands) command.showHelpAfterError(helpHint);
  return program;
}

function groupsBelow({ commands }: Command): Command[] {
  return commands.flatMap((command) =>
    command.commands.length > 0 ? [command, ...groupsBelow(command)] : [],
  );
}

const helpHint = '(see --help)';

function newProgram(): Command {
  return (
    new Command('runcost')
      .showHelpAfterError(helpHint)
      .helpCommand(false)
      // Gives `costs change` the options after it, although `costs` has some options of the same name.
      .enablePositionalOptions()
      .version(version, '-V, --version', 'print the version')
      .configureOutput({ outputError: (text, write) => write(text.replace(/^error:/, errorPrefix())) })
  );
}

/** `help` works before, between and after other words: `help price rule`, `price help rule`, `waste help`. */
function showHelpOrRefuse(group: Command): void {
  if (!group.parent && group.args[0] === 'version') {
    console.log(version);
    process.exit(0);
  }
  if (group.args[0] !== 'help') return showHelpAtEnd(group);
  let shown = group;
  for (const word of group.args.slice(1)) {
    refuseUnknown(shown, [word]);
    shown = shown.commands.find((command) => command.name() === word) ?? shown;
  }
  shown.help();
}

function showHelpAtEnd(group: Command): void {
  let shown = group;
  for (const [index, word] of group.args.entries()) {
    const next = shown.commands.find((command) => command.name() === word);
    // A list of arguments may contain the word, because a file can be called so.
    const takesWord = shown.registeredArguments.some(({ variadic }) => variadic);
    const isEnd = shown.commands.length === 0 || index === group.args.length - 1;
    if (word === 'help' && isEnd && !takesWord) shown.help();
    if (!next) break;
    shown = next;
  }
  refuseUnknown(group);
}

/** Exits if a command is unknown. Otherwise Commander would pass the word to `serve`, the default command. */
function refuseUnknown(group: Command, words: readonly string[] = group.args): void {
  const word = words.find((each) => each !== '--help' && each !== '-h');
  const names = group.commands.map((command) => command.name());
  if (names.length === 0 || word === undefined || word.startsWith('-')) return;
  if (word === 'help' || names.includes(word)) return;
  const owners = group.commands.filter((command) => command.commands.some((sub) => sub.name() === word));
  const nearest = nearestOf(word, names);
  const meant =
    owners.length > 0 ? owners.map((owner) => `${owner.name()} ${word}`) : nearest ? [nearest] : [];
  const path = group.parent ? `${pathOf(group)} ` : '';
  const hint =
    meant.length > 0
      ? `(Did you mean ${meant.map((name) => path + name).join(', ')}?)`
      : `(Commands: ${names.join(', ')}.)`;
  group.error(`error: unknown command '${path}${word}'\n${hint}`);
}

function pathOf(command: Command): string {
  const above = command.parent?.parent ? `${pathOf(command.parent)} ` : '';
  return above + command.name();
}

function settingsHelp(): string {
  const width = Math.max(...settings.map(([name]) => name.length));
  const lines = settings.map(
    ([name, value, text]) => `  ${name.padEnd(width)}  ${text}${value ? ` (${value})` : ''}`,
  );
  return `\nSettings, as environment variables:\n${lines.join('\n')}\n`;
}
