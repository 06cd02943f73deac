import { CommanderError } from 'commander';
import { exitCodeOf } from './cli/faults.ts';
import { printError } from './cli/output.ts';
import { buildCli } from './cli/program.ts';

// The launcher has ended, perhaps by a signal that it could not pass on.
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.channel?.unref();

try {
  const program = await buildCli(process.argv.slice(2));
  await program.parseAsync();
} catch (error) {
  // Commander has printed its own.
  if (!(error instanceof CommanderError)) printError(error);
  process.exitCode = exitCodeOf(error);
}
