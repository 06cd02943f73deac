import { CommanderError } from 'commander';
import { CommandError, exitCodeOf } from './cli/faults.ts';
import { printError } from './cli/output.ts';
import { runCli } from './cli/program.ts';
import { parts } from './operator/parts.ts';

// The launcher has ended, perhaps by a signal that it could not pass on.
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.channel?.unref();

// A reader such as `head` may need no more, but then not all of the work is done. A full disk loses it.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE')
    printError(new CommandError(`The output could not be written: ${error.message}`));
  process.exitCode = 1;
});

try {
  await runCli(process.argv.slice(2), parts);
} catch (error) {
  // Commander has printed its own.
  if (!(error instanceof CommanderError)) printError(error);
  process.exitCode = exitCodeOf(error);
}
