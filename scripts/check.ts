/** `npm run check`: plain words, types of the program and of the pages, lint with the import rules, code nobody uses, and format. */
import { runScript, runTool } from './tools.ts';

// First: what the API answers is what the pages are checked with.
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
