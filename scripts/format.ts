/** `npm run format`: applies the linter's fixes and formats every file. */
import { runScript, runTool } from './tools.ts';

// Without these types, some fixes would remove code that the pages need.
const hasTypes = await runScript('apiTypes.ts');
const isRepaired = hasTypes && (await runTool('oxlint', '--fix', '--format=agent'));
const isFormatted = hasTypes && (await runTool('oxfmt', '.'));
process.exitCode = isRepaired && isFormatted ? 0 : 1;
