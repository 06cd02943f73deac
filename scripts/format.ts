/** `npm run format`: repairs what the linter can repair, and formats every file. */
import { runTool } from './tools.ts';

const isRepaired = await runTool('oxlint', '--fix', '--format=agent');
const isFormatted = await runTool('oxfmt', '.');
process.exitCode = isRepaired && isFormatted ? 0 : 1;
