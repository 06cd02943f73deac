import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Command } from 'commander';
import { printNote } from '../cli/output.ts';
import { environmentWith, readConfig } from '../config.ts';
import { openDatabase } from '../platform/db/database.ts';
import { invalid, PublicError } from '../platform/lib/errors.ts';

export function addDbCommand(program: Command): void {
  program
    .command('db')
    .argument('[command...]', 'a program to run, such as psql or pg_dump')
    .passThroughOptions()
    .addHelpText('after', help)
    .action(connectOthers);
}

const help = `
Runcost's own PostgreSQL runs as long as a server or a command needs it. With a command, it runs as long as that one.
psql and pg_dump come with PostgreSQL's client package, 18 or newer. Changing Runcost's tables breaks its sums.

Examples:
  runcost db
  runcost db psql
  runcost db pg_dump --format=custom --file=runcost.dump
`;

async function connectOthers([program, ...args]: string[]): Promise<void> {
  const config = readConfig();
  if (config.databaseUrl) {
    if (program !== undefined)
      throw invalid('command', 'works with its own PostgreSQL only: psql "$DATABASE_URL"');
    return console.log('psql "$DATABASE_URL"');
  }
  const { url, close } = await openDatabase(config, { mayCreate: false });
  try {
    if (program === undefined) {
      console.log(`psql '${url}'`);
      return printNote('This works while a server runs. At other times: runcost db psql');
    }
    process.exitCode = await run(program, args, url);
  } finally {
    await close();
  }
}

/** The variables from which programs of PostgreSQL read where to connect. */
function connectionOf(url: string) {
  const { username, pathname, searchParams } = new URL(url);
  return {
    PGHOST: searchParams.get('host')!,
    PGPORT: searchParams.get('port')!,
    PGUSER: username,
    PGDATABASE: pathname.slice(1),
    PGSSLMODE: 'disable',
    // These would win.
    PGHOSTADDR: '',
    PGSERVICE: '',
  };
}

async function run(program: string, args: string[], url: string): Promise<number> {
  const child = spawn(program, args, { stdio: 'inherit', env: environmentWith(connectionOf(url)) });
  // Ctrl-C is for the program, which may only cancel a query.
  const ignore = () => {};
  process.on('SIGINT', ignore);
  const pass = () => child.kill('SIGTERM');
  process.on('SIGTERM', pass);
  try {
    const [code] = (await once(child, 'exit')) as [number | null];
    return code ?? 1;
  } catch (error) {
    const message = `${program} cannot be started: ${(error as Error).message}`;
    throw new PublicError('not_found', 'no_program', message);
  } finally {
    process.off('SIGINT', ignore);
    process.off('SIGTERM', pass);
  }
}
