/** `npm run check`: plain words, types of the program and the pages, lint with the import rules, dead code, and format. */
import { runScript, runTool } from './tools.ts';

// Runs first, because the types of the pages depend on the API's.
const hasTypes = await runScript('apiTypes.ts');
const results = await Promise.all([
  runScript('plainWords.ts'),
  runTool('tsc', '-p', '.'),
  runTool('tsc', '-p', 'web'),
  runTool('oxlint', '--format=agent'),
  runTool('knip', '--no-progress'),
  runTool('oxfmt', '--check', '.'),
]);
process.exitCode = hasTypes && results.every(Boolean) ? 0 : 1;
