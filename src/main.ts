import { printError } from './cli/output.ts';
import { buildCli } from './cli/program.ts';

try {
  await buildCli().parseAsync();
} catch (error) {
  printError(error);
  process.exitCode = 1;
}
