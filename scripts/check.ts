/** `npm run check`: types of the program and of the pages, lint with the import rules, code nobody uses, and format. */
import { runScript, runTool } from './tools.ts';

const results = await Promise.all([
  runTool('tsc', '-p', '.'),
  runScript('apiTypes.ts').then((isGood) => isGood && runTool('tsc', '-p', 'web')),
  runTool('oxlint', '--format=agent'),
  runTool('knip', '--no-progress'),
  runTool('prettier', '--check', '--log-level=warn', '.'),
]);
process.exitCode = results.every(Boolean) ? 0 : 1;
