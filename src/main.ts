import { CommanderError } from 'commander';
import { exitCodeOf } from './cli/faults.ts';
import { printError } from './cli/output.ts';
import { runCli } from './cli/program.ts';

// The launcher has ended, perhaps by a signal that it could not pass on.
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.channel?.unref();

// What reads the output, such as `head`, may need no more. A full disk loses it.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') console.error(`error: The output could not be written: ${error.message}`);
  process.exit(error.code === 'EPIPE' ? 0 : 1);
});

try {
  await runCli(process.argv.slice(2));
} catch (error) {
  // Commander has printed its own.
  if (!(error instanceof CommanderError)) printError(error);
  process.exitCode = exitCodeOf(error);
}
