import { printError } from './cli/output.ts';
import { buildCli } from './cli/program.ts';

// The launcher has ended, perhaps by a signal that it could not pass on.
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.channel?.unref();

try {
  await buildCli().parseAsync();
} catch (error) {
  printError(error);
  process.exitCode = 1;
}
