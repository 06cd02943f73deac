import type { Command } from 'commander';
import { printNote } from './output.ts';
import { findTargets } from './target.ts';

const help = `
It asks the server that other commands ask; a token needs the scope costs:read. Standard output carries the protocol
only. It ends when its standard input does.

In Claude Code:
  claude mcp add runcost --env RUNCOST_URL=https://runcost.example.com --env RUNCOST_TOKEN=runcost_… -- runcost mcp

Example:
  runcost mcp
`;

export function addMcpCommand(program: Command): void {
  program
    .command('mcp')
    .addHelpText('after', help)
    .action(async () => {
      const [target] = findTargets({});
      // Imported late, so that other commands start without the protocol's library.
      const { serveMcp } = await import('../mcp/server.ts');
      await serveMcp(target, printNote);
    });
}
