import { readFileSync } from 'node:fs';
import { Argument, type Command } from 'commander';
import { CommandError } from './faults.ts';
import { collect } from './filters.ts';
import { openSession } from './session.ts';
import type { TargetOptions } from './target.ts';
import { addTargetOptions } from './verbCommand.ts';

type ApiOptions = TargetOptions & { query: string[]; field: string[]; input?: string; accept?: string };

const methods = ['GET', 'POST', 'PUT', 'DELETE'];

export function addApiCommand(program: Command): void {
  const command = program
    .command('api')
    .addArgument(new Argument('<method>', 'method').choices(methods))
    .argument('<path>', 'such as /costs; below /api/v1 unless it begins with /api')
    .option('-q, --query <name=value>', 'a parameter of the query; can be repeated', collect, [])
    .option(
      '-f, --field <name=value>',
      'a field of the body, read as JSON if it is JSON; can be repeated',
      collect,
      [],
    )
    .option('--input <file>', 'the body; - for standard input')
    .option('--accept <type>', 'media type of the answer, such as text/csv');
  addTargetOptions(command)
    .addHelpText('after', help)
    .action(async (method: string, path: string, options: ApiOptions) => send(method, path, options));
}

const help = `
Examples:
  runcost api GET /costs -q group_by=repository -q days=7
  runcost api POST /alerts -q org_id=$ORG -f name="CI budget" -f alert_type=budget -f threshold_amount=5000`;

async function send(method: string, path: string, options: ApiOptions): Promise<void> {
  const session = openSession(options);
  const { orgId } = session.target();
  const [place, asked = ''] = path.split('?') as [string, string?];
  const query = new URLSearchParams(asked);
  for (const [name, value] of options.query.map((text) => pairOf('--query', text))) query.append(name, value);
  if (orgId !== null && !query.has('org_id')) query.set('org_id', orgId);
  const at = `${place.startsWith('/api/') ? '' : '/api/v1'}${place.startsWith('/') ? '' : '/'}${place}`;
  const response = await session.send({
    method,
    path: query.size === 0 ? at : `${at}?${query.toString()}`,
    ...(method !== 'GET' && { body: bodyOf(options) }),
    ...(options.accept !== undefined && { accept: options.accept }),
  });
  const text = await response.text();
  process.stdout.write(text.endsWith('\n') || !process.stdout.isTTY ? text : `${text}\n`);
}

function bodyOf({ input, field }: ApiOptions): unknown {
  if (input === undefined)
    return Object.fromEntries(
      field.map((text) => pairOf('--field', text)).map(([name, value]) => [name, jsonOr(value)]),
    );
  if (field.length > 0) throw new CommandError('--input and --field exclude each other', 'usage');
  try {
    const text = readFileSync(input === '-' ? 0 : input, 'utf8');
    return /^\s*[[{]/.test(text) ? JSON.parse(text) : text;
  } catch (error) {
    throw new CommandError(`--input: ${(error as Error).message}`, 'usage');
  }
}

function pairOf(option: string, text: string): [string, string] {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new CommandError(`${option} must be NAME=VALUE; "${text}" is not`, 'usage');
  return [name, value];
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
