import { once } from 'node:events';
import { pipeline, Transform } from 'node:stream';
import { fromJsonSchema, McpServer, parseJSONRPCMessage } from '@modelcontextprotocol/server';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { createClient, RuncostError, type RuncostClient } from '../client.ts';
import { version } from '../platform/lib/commandLine.ts';
import { PublicError } from '../platform/lib/errors.ts';
import { mcpTools, type McpTool } from './tools.ts';

type Target = { url: string; token: string };

const timeoutMilliseconds = 60_000;

/** Answers on standard output until standard input ends or the process gets a signal to stop. */
export async function serveMcp({ url, token }: Target, note: (text: string) => void): Promise<void> {
  const runcost = createClient({ url, token });
  const messages = messagesOf(process.stdin);
  const connection = serveStdio(() => newServer(runcost, url), {
    transport: new StdioServerTransport(messages, process.stdout),
    onerror: (error) => note(`mcp: ${error.message}`),
  });
  const signals = (['SIGINT', 'SIGTERM', 'SIGHUP'] as const).map((name) => once(process, name));
  await Promise.race([once(messages, 'close'), ...signals]);
  await connection.close();
  // An open standard input would keep the process alive.
  process.stdin.destroy();
}

/** Texts in JSON may contain other line breaks than line feeds. The library drops invalid lines. */
function messagesOf(input: NodeJS.ReadStream): Transform {
  let begun = '';
  const valid = (line: string): string => {
    const answer = line.trim() === '' ? null : refusalOf(line);
    if (answer === null) return `${line}\n`;
    process.stdout.write(`${JSON.stringify(answer)}\n`);
    return '';
  };
  const lines = new Transform({
    decodeStrings: false,
    transform: (chunk: string, _encoding, done) => {
      const [end, ...others] = chunk.split('\n') as [string, ...string[]];
      const whole = [begun + end, ...others];
      begun = whole.pop()!;
      done(null, whole.map(valid).join(''));
    },
    flush: (done) => done(null, valid(begun)),
  });
  return pipeline(input.setEncoding('utf8'), lines, () => {});
}

/** https://www.jsonrpc.org/specification#error_object */
function refusalOf(line: string): object | null {
  let message: { id?: unknown } | null;
  try {
    message = JSON.parse(line);
  } catch (error) {
    return refusal(null, -32_700, `Parse error: ${(error as Error).message}`);
  }
  try {
    parseJSONRPCMessage(message);
    return null;
  } catch {
    const id = message?.id;
    const isKnown = typeof id === 'string' || typeof id === 'number';
    return refusal(isKnown ? id : null, -32_600, 'Invalid request: it is not a JSON-RPC 2.0 message.');
  }
}

function refusal(id: string | number | null, code: number, message: string): object {
  return { jsonrpc: '2.0', id, error: { code, message } };
}

/** The protocol's server, whose tools ask the Runcost server at this address. */
export function newServer(runcost: RuncostClient, url: string): McpServer {
  const server = new McpServer(
    { name: 'runcost', title: 'Runcost', version },
    {
      instructions:
        `Costs of CI/CD jobs from the Runcost server at ${url}. The tools read only. Amounts are US dollars with up to ` +
        'nine decimals (nano-dollars), and days are UTC. Ask cost_list how much, cost_change_get why it rose or fell, ' +
        'waste_fix_list what to save, and estimate what a change of workflow files would cost. `period` says which days an ' +
        'answer covers: the history that the plan shows can be shorter than what you ask for.',
    },
  );
  for (const tool of mcpTools()) addTool(server, tool, runcost);
  return server;
}

function addTool(server: McpServer, tool: McpTool, runcost: RuncostClient): void {
  const { name, title, description, properties, required } = tool;
  const schema = { type: 'object' as const, properties, required, additionalProperties: false };
  const inputSchema = fromJsonSchema<Record<string, unknown>>(schema as never, leftToTheServer);
  const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true };
  server.registerTool(
    name,
    { title, description, inputSchema, annotations },
    async (given, { mcpReq: { signal } }) => {
      const stop = AbortSignal.any([signal, AbortSignal.timeout(timeoutMilliseconds)]);
      try {
        const answer = await tool.call(given, runcost, stop);
        return { content: [{ type: 'text', text: JSON.stringify(answer) }] };
      } catch (error) {
        return { isError: true, content: [{ type: 'text', text: explained(error) }] };
      }
    },
  );
}

/** The server names the field that is wrong, and knows more than a schema. */
const leftToTheServer: Parameters<typeof fromJsonSchema>[1] = {
  getValidator: () => (given) => ({ valid: true, data: (given ?? {}) as never, errorMessage: undefined }),
};

/** The tools have the names of API fields without `body.` and `query.`. */
function withoutPart(text: string): string {
  return text.replaceAll(/\b(?:body|query)\./g, '');
}

/** What was wrong, and how to fix it. */
function explained(error: unknown): string {
  if (error instanceof PublicError) return sentence(error.message);
  if (!(error instanceof RuncostError)) {
    const { name, message } = error as Error;
    return name === 'TimeoutError' ? 'The server took longer than a minute. Ask for fewer days.' : message;
  }
  const { status, detail, request_id: requestId } = error;
  const request = requestId === null ? undefined : `Request ${requestId}.`;
  return [sentence(withoutPart(detail)), hints[status], request].filter(Boolean).join(' ');
}

function sentence(text: string): string {
  return /[.?!]$/.test(text) ? text : `${text}.`;
}

const hints: Record<number, string> = {
  0: 'Check RUNCOST_URL, and that the server runs.',
  401: 'Set RUNCOST_TOKEN to a token of the organization: runcost token create --name mcp --scope costs:read.',
  431: 'Give fewer or shorter values, or use * in a filter.',
};
