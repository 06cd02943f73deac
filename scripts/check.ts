/** `npm run check`: types, lint with the import rules, code nobody uses, and format. */
import { runTool } from './tools.ts';

const results = await Promise.all([
  runTool('tsc', '-p', '.'),
  runTool('oxlint', '--format=agent'),
  runTool('knip', '--no-progress'),
  runTool('prettier', '--check', '--log-level=warn', '.'),
]);
process.exitCode = results.every(Boolean) ? 0 : 1;
