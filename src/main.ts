import { CommanderError } from 'commander';
import { exitCodeOf } from './cli/faults.ts';
import { printError } from './cli/output.ts';
import { runCli } from './cli/program.ts';

// The launcher has ended, perhaps by a signal that it could not pass on.
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.channel?.unref();

try {
  await runCli(process.argv.slice(2));
} catch (error) {
  // Commander has printed its own.
  if (!(error instanceof CommanderError)) printError(error);
  process.exitCode = exitCodeOf(error);
}
