import { appendFileSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import pg from 'pg';

const prefix = 'statements-';

export type Statement = {
  text: string;
  /** The file below `src` and the function that sent it: `ledger/runs/queries.ts writeRuns`. */
  sender: string;
};

/** From now on, each statement that the program sends for the first time is written to a file in the folder. */
export function recordStatements(folder: string): void {
  const file = join(folder, `${prefix}${process.pid}.jsonl`);
  const seen = new Set<string>();
  const client = pg.Client.prototype as unknown as { query: (...args: unknown[]) => unknown };
  const { query } = client;
  client.query = function (...args) {
    const text = textOf(args[0]);
    const sender = seen.has(text) ? null : findSender();
    if (sender) {
      seen.add(text);
      appendFileSync(file, `${JSON.stringify({ text, sender } satisfies Statement)}\n`);
    }
    return query.apply(this, args);
  };
}

export function recordedStatements(folder: string): Statement[] {
  const files = globSync(`${prefix}*.jsonl`, { cwd: folder });
  const lines = files.flatMap((file) => readFileSync(join(folder, file), 'utf8').split('\n').filter(Boolean));
  const statements = lines.map((line) => JSON.parse(line) as Statement);
  return [...new Map(statements.map((statement) => [statement.text, statement])).values()];
}

/** What the latest whole run of the tests has sent, for the tests on other servers. */
export const statementsCache = join(import.meta.dirname, '../../node_modules/.cache/runcost-statements.json');

export function saveStatements(folder: string): void {
  mkdirSync(dirname(statementsCache), { recursive: true });
  writeFileSync(statementsCache, JSON.stringify(recordedStatements(folder)));
}

export function savedStatements(): Statement[] {
  return JSON.parse(readFileSync(statementsCache, 'utf8')) as Statement[];
}

function textOf(query: unknown): string {
  return typeof query === 'string' ? query : (query as { text: string }).text;
}

/** Null for statements of tests, which use the program's Kysely as well. */
function findSender(): string | null {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 100;
  const stack = new Error('here').stack!;
  Error.stackTraceLimit = stackTraceLimit;
  const frame =
    /^ +at (?:async )?(?:(\S+) )?.*\/src\/((?!.*\.test\.ts|platform\/db\/(?:serverPool|pipeline)).+?\.ts):/m.exec(
      stack,
    );
  return frame && `${frame[2]} ${frame[1] ?? ''}`.trim();
}
