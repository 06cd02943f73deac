import { buildCli } from './cli/program.ts';
import { printError } from './cli/output.ts';

try {
  await buildCli().parseAsync();
} catch (error) {
  printError(error);
  process.exitCode = 1;
}
