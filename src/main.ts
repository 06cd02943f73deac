import { printError } from './cli/output.ts';
import { buildCli } from './cli/program.ts';

// The launcher, which a signal may end that it cannot pass on.
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
process.channel?.unref();

try {
  await buildCli().parseAsync();
} catch (error) {
  printError(error);
  process.exitCode = 1;
}
