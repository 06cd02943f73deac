import type { Command } from 'commander';
import { readConfig } from '../config.ts';
import { invalid } from '../platform/lib/errors.ts';

const help = `
It asks the server at RUNCOST_URL with RUNCOST_TOKEN, a token with the scope costs:read. Standard output carries the protocol
only. It ends when its standard input does.

In Claude Code:
  claude mcp add runcost --env RUNCOST_URL=https://runcost.example.com --env RUNCOST_TOKEN=runcost_… -- runcost mcp
`;

export function addMcpCommand(program: Command): void {
  program
    .command('mcp')
    .description('answer questions of AI assistants about costs (Model Context Protocol), read-only')
    .addHelpText('after', help)
    .action(async () => {
      const { url, token } = readConfig().client;
      if (url === null) throw invalid('RUNCOST_URL', 'is required, such as https://runcost.example.com');
      if (token === null)
        throw invalid('RUNCOST_TOKEN', 'is required: runcost token create --name mcp --scope costs:read');
      // Imported late, so that other commands start without the protocol's library.
      const { serveMcp } = await import('./mcpServer.ts');
      await serveMcp({ url, token });
    });
}
