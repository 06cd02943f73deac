/**
 * `npm run check`: plain words, types of the program and the pages, lint with the import rules, dead code, and format.
 * `npm run check -- --fast`, for the loop of an editor: types of what changed, and lint without the rules that need types.
 */
import { runScript, runTool } from './tools.ts';

const isFast = process.argv.includes('--fast');
// oxlint.config.ts reads it.
if (isFast) process.env['RUNCOST_CHECK'] = 'fast';

/** Types again only of what changed since the last time. */
function changedTypes(project: string, name: string): Promise<boolean> {
  const stored = `node_modules/.cache/${name}.tsbuildinfo`;
  return runTool('tsc', '-p', project, '--incremental', '--tsBuildInfoFile', stored);
}

// Runs first, because the types of the pages depend on the API's.
const hasTypes = isFast || (await runScript('apiTypes.ts'));
const fast = (): Promise<boolean>[] => [
  changedTypes('.', 'program'),
  changedTypes('web', 'web'),
  runTool('oxlint', '--format=agent'),
];
const whole = (): Promise<boolean>[] => [
  runScript('plainWords.ts'),
  runTool('tsc', '-p', '.'),
  runTool('tsc', '-p', 'web'),
  runTool('oxlint', '--format=agent'),
  runTool('knip', '--no-progress'),
  runTool('oxfmt', '--check', '.'),
];
const results = await Promise.all(isFast ? fast() : whole());
process.exitCode = hasTypes && results.every(Boolean) ? 0 : 1;
