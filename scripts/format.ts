/** `npm run format`: applies the linter's fixes and formats every file. */
import { runTool } from './tools.ts';

const isRepaired = await runTool('oxlint', '--fix', '--format=agent');
const isFormatted = await runTool('oxfmt', '.');
process.exitCode = isRepaired && isFormatted ? 0 : 1;
