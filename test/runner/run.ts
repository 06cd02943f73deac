/**
 * `npm test -- [--embedded | --server | --both] [--watch] [part of a path …]` runs the test files. By default they use an
 * installed PostgreSQL, or else the embedded database, which is slower. `--embedded` runs all files with the embedded one,
 * `--server` runs the files that can use a server, and `--both` does both, but tests the pages once. TEST_DATABASE_URL names
 * a server to use instead of a new one. With TEST_SERVER=required, a missing server or a skipped test is a failure.
 */
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { availableParallelism, constants, freemem, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { parseArgs, styleText } from 'node:util';
import { createServerTemplate } from '../server/createServerDatabase.ts';
import { findPostgres } from '../server/findPostgres.ts';
import { startPostgres, type PostgresServer } from '../server/startPostgres.ts';
import { killWorkers, runFiles, type FileResult } from './runFiles.ts';

const root = join(import.meta.dirname, '../..');
// One more than cores, because files wait for browsers and servers. Memory limits the number.
const workers = Math.min(availableParallelism() + 1, 6);
/** Checks the statements that the program sent while all other files ran. */
const statementsFile = join(root, 'test/statements.test.ts');
const serverIsRequired = process.env.TEST_SERVER === 'required';

type Pass = { title: string; results: FileResult[] };

const passes: Pass[] = [];
let missingServers = 0;
let brokenServers = 0;

/** Folder for shared files and databases. In memory if there is room, because on a disk tests wait half of the time. */
const parent = memoryFolder() ?? tmpdir();
const folder = mkdtempSync(join(parent, 'runcost-tests-'));

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: {
      embedded: { type: 'boolean' },
      server: { type: 'boolean' },
      both: { type: 'boolean' },
      watch: { type: 'boolean' },
    },
    allowPositionals: true,
  });
  const files = globSync('{src,test,web/src}/**/*.test.ts', { cwd: root })
    .filter((file) => positionals.length === 0 || positionals.some((part) => file.includes(part)))
    .toSorted(longestFirst)
    .map((file) => join(root, file))
    .filter((file) => file !== statementsFile || positionals.length > 0);
  if (values.watch) return watch(files);
  const database = values.both ? 'both' : values.server ? 'server' : values.embedded ? 'embedded' : 'any';
  const canUseServer = database !== 'embedded' && files.some(usesDatabase);
  const server = canUseServer ? openServer({ isNeeded: database !== 'any' }) : null;
  if (server) process.once('exit', server.stop);
  if (server && database === 'any') await runWith(server, files);
  else if (database !== 'server') {
    // Pages look the same with both databases, so their tests run once.
    const embedded = files.filter((file) => !needsServer(file) && !(server && usesBrowser(file)));
    await runPass('With the embedded database', embedded, embeddedEnv());
  }
  if (server && database !== 'any') await runWith(server, files.filter(usesDatabase));
  if (positionals.length === 0 || process.env.TEST_STATEMENTS) {
    // The statements that all of these files sent.
    await runPass('After all others', [statementsFile], { ...embeddedEnv(), TEST_STATEMENTS: 'all' });
  }
  passes.forEach(reportFailures);
  process.exitCode = reportTotals();
}

function memoryFolder(): string | null {
  const mount = '/dev/shm'; // only on Linux, and almost empty in some containers
  if (!existsSync(mount)) return null;
  const { bavail, bsize } = statfsSync(mount);
  return Math.min(bavail * bsize, freemem()) > 4e9 ? mount : null;
}

function embeddedEnv(): NodeJS.ProcessEnv {
  const { TEST_DATABASE_URL: _, ...env } = process.env;
  return { ...env, TEST_DATABASE: 'embedded' };
}

/** Runs files again when they or their imports change, until it is interrupted. */
function watch(files: string[]): void {
  run({ files, watch: true, concurrency: workers, env: embeddedEnv() })
    .compose(new spec())
    .pipe(process.stdout);
}

type Server = Pick<PostgresServer, 'url' | 'stop'> & { name: string };

async function runWith(server: Server, files: string[]): Promise<void> {
  if (files.length === 0) return;
  const env = { ...process.env, TEST_DATABASE: 'server', TEST_DATABASE_URL: server.url };
  const template = await createServerTemplate(server.url);
  await runPass(`With a PostgreSQL server: ${server.name}`, files, {
    ...env,
    TEST_DATABASE_TEMPLATE: template.name,
  });
  await template.remove();
}

function openServer({ isNeeded }: { isNeeded: boolean }): Server | null {
  const url = process.env.TEST_DATABASE_URL;
  if (url) return { name: 'from TEST_DATABASE_URL', url, stop: () => {} };
  const postgres = findPostgres();
  if (!postgres) {
    if (isNeeded) missingServers++;
    console.log('PostgreSQL 15 or newer is not installed, and TEST_DATABASE_URL is not set.');
    return null;
  }
  try {
    return { name: `${postgres.version} from ${postgres.bin}`, ...startPostgres(postgres, parent) };
  } catch (error) {
    brokenServers++;
    console.log((error as Error).message);
    return null;
  }
}

/** Tests of whole programs and of the embedded database take longest, so they start first. */
function longestFirst(a: string, b: string): number {
  const isLong = (file: string) => Number(/^(test|src\/cli|src\/platform\/db)\//.test(file));
  return isLong(b) - isLong(a) || a.localeCompare(b, 'en');
}

/** Only the harness opens a database, so the result of other files does not depend on a server. */
function usesDatabase(file: string): boolean {
  return /from '[^']*\/harness\/(app|dashboard)\.ts'|\bnewStorage\(/.test(readFileSync(file, 'utf8'));
}

function needsServer(file: string): boolean {
  return file.endsWith('.server.test.ts');
}

function usesBrowser(file: string): boolean {
  return /from '[^']*\/harness\/dashboard\.ts'/.test(readFileSync(file, 'utf8'));
}

async function runPass(title: string, files: string[], env: NodeJS.ProcessEnv): Promise<void> {
  console.log(title);
  const results: FileResult[] = [];
  passes.push({ title, results });
  const onResult = (result: FileResult) => {
    results.push(result);
    console.log(result.failed > 0 ? lineOf(result) : withNotes(result));
  };
  const ofBrowser = files.filter(usesBrowser);
  const others = files.filter((file) => !usesBrowser(file));
  await runFiles({ ofBrowser, others }, { env: { ...env, TEST_FOLDER: folder }, workers, onResult });
}

function lineOf({ file, passed, failed, skipped, durationMs }: FileResult): string {
  const counts = [`${passed} passed`, failed && `${failed} failed`, skipped && `${skipped} skipped`];
  const mark = failed > 0 ? styleText('red', '✖') : styleText('green', '✔');
  return `${mark} ${relative(root, file)}: ${counts.filter(Boolean).join(', ')} (${durationMs} ms)`;
}

function withNotes(result: FileResult): string {
  return [lineOf(result), ...result.notes.map((note) => note.replaceAll(/^/gm, '    '))].join('\n');
}

function reportFailures({ title, results }: Pass): void {
  const failed = results.filter((result) => result.failed > 0);
  if (failed.length === 0) return;
  console.log(`\n${title}`);
  for (const result of failed) console.log(`${result.failures}\n${withNotes(result)}`);
}

/** Returns the exit code. The totals are the last line of output. */
function reportTotals(): number {
  const results = passes.flatMap((pass) => pass.results);
  const total = (kind: 'passed' | 'failed' | 'skipped') =>
    results.reduce((sum, result) => sum + result[kind], 0);
  const passed = total('passed');
  const failed = total('failed') + brokenServers;
  const skipped = total('skipped') + missingServers;
  if (passed + failed === 0) console.log('No test ran.');
  if (serverIsRequired && skipped > 0) console.log('TEST_SERVER=required: nothing may be skipped.');
  console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
  return failed > 0 || passed === 0 || (serverIsRequired && skipped > 0) ? 1 : 0;
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => process.exit(128 + constants.signals[signal])); // "exit" handlers stop the server
}
process.on('exit', () => {
  killWorkers();
  rmSync(folder, { recursive: true, force: true });
});

await main();
