/**
 * `npm test -- [--watch] [part of a path …]` runs the test files whose path contains a part, on the PostgreSQL that Runcost
 * brings. `--coverage` also prints how many lines of src they reach. `--system` runs `*.system.test.ts` instead: each page in
 * a browser, and what needs real disks, processes and installed programs.
 */
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, constants } from 'node:os';
import { join, relative } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { parseArgs, styleText } from 'node:util';
import { temporaryFolder } from '../harness/storage.ts';
import { createServerTemplate } from '../server/createServerDatabase.ts';
import { saveStatements } from '../server/recordStatements.ts';
import { startTestPostgres } from '../server/testPostgres.ts';
import { createCoverage } from './coverage.ts';
import { killWorkers, runFiles, type FileResult } from './runFiles.ts';

const root = join(import.meta.dirname, '../..');
// One more than cores, because files wait for browsers and servers. Memory limits the number.
const workers = Math.min(availableParallelism() + 1, 6);
/** Checks the statements that the program sent while all other files ran. */
const statementsFile = join(root, 'test/statements.test.ts');

/** Folder for shared files and databases. */
const folder = mkdtempSync(join(temporaryFolder(), 'runcost-tests-'));
const results: FileResult[] = [];
let maxFileMs = 600_000;
let coverage: ReturnType<typeof createCoverage> | null = null;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: {
      coverage: { type: 'boolean', default: false },
      system: { type: 'boolean', default: false },
      watch: { type: 'boolean', default: false },
    },
    allowPositionals: true,
  });
  // Benchmarks and a fresh machine are one file each.
  if (values.system) maxFileMs = 1_800_000;
  if (values.coverage) coverage = createCoverage();
  const isWhole = positionals.length === 0;
  const files = globSync('{src,test,web/src}/**/*.test.ts', { cwd: root })
    .filter((file) => file.endsWith('.system.test.ts') === values.system)
    .filter((file) => isWhole || positionals.some((part) => file.includes(part)))
    .toSorted(longestFirst)
    .map((file) => join(root, file))
    .filter((file) => file !== statementsFile || !isWhole);
  const postgres = await startTestPostgres(folder);
  try {
    const template = await createServerTemplate(postgres.url);
    const env = {
      ...process.env,
      TEST_DATABASE_URL: postgres.url,
      TEST_DATABASE_TEMPLATE: template.name,
      TEST_FOLDER: folder,
      // Commands of tests never ask a server that the developer uses.
      RUNCOST_URL: '',
      RUNCOST_CONTEXT: '',
      RUNCOST_ORG: '',
      XDG_CONFIG_HOME: join(folder, 'config'),
    };
    if (values.watch) return await watch(files, env);
    await runAll(files, env);
    // The statements that all of these files sent.
    const checksStatements = (isWhole && !values.system) || process.env.TEST_STATEMENTS;
    if (isWhole && !values.system) saveStatements(folder);
    if (checksStatements) await runAll([statementsFile], { ...env, TEST_STATEMENTS: 'all' });
  } finally {
    await postgres.close();
  }
  if (coverage) console.log(coverage.report());
  reportFailures();
  process.exitCode = reportTotals();
}

/** Runs files again when they or their imports change, until it is interrupted. */
async function watch(files: string[], env: NodeJS.ProcessEnv): Promise<void> {
  run({ files, watch: true, concurrency: workers, env }).compose(new spec()).pipe(process.stdout);
  await new Promise(() => {});
}

/** Tests of whole programs take longest, so they start first. */
function longestFirst(a: string, b: string): number {
  const isLong = (file: string) => Number(/^(test|src\/cli)\//.test(file));
  return isLong(b) - isLong(a) || a.localeCompare(b, 'en');
}

function usesBrowser(file: string): boolean {
  return /from '[^']*\/harness\/dashboard\.ts'/.test(readFileSync(file, 'utf8'));
}

async function runAll(files: string[], env: NodeJS.ProcessEnv): Promise<void> {
  const onResult = (result: FileResult) => {
    results.push(result);
    console.log(result.failed > 0 ? lineOf(result) : withNotes(result));
  };
  const ofBrowser = files.filter(usesBrowser);
  const others = files.filter((file) => !usesBrowser(file));
  await runFiles(
    { ofBrowser, others },
    { env, workers, maxFileMs, onResult, onCoverage: coverage?.add ?? null },
  );
}

function lineOf({ file, passed, failed, skipped, durationMs }: FileResult): string {
  const counts = [`${passed} passed`, failed && `${failed} failed`, skipped && `${skipped} skipped`];
  const mark = failed > 0 ? styleText('red', '✖') : styleText('green', '✔');
  return `${mark} ${relative(root, file)}: ${counts.filter(Boolean).join(', ')} (${durationMs} ms)`;
}

function withNotes(result: FileResult): string {
  return [lineOf(result), ...result.notes.map((note) => note.replaceAll(/^/gm, '    '))].join('\n');
}

function reportFailures(): void {
  for (const result of results.filter(({ failed }) => failed > 0))
    console.log(`
${result.failures}
${withNotes(result)}`);
}

/** Returns the exit code. The totals are the last line of output. */
function reportTotals(): number {
  const total = (kind: 'passed' | 'failed' | 'skipped') =>
    results.reduce((sum, result) => sum + result[kind], 0);
  const passed = total('passed');
  const [failed, skipped] = [total('failed'), total('skipped')];
  if (passed + failed === 0) console.log('No test ran.');
  const mayNotSkip = process.env.CI === 'true' && skipped > 0;
  if (mayNotSkip) console.log('CI=true: nothing may be skipped.');
  console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
  return failed > 0 || passed === 0 || mayNotSkip ? 1 : 0;
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => process.exit(128 + constants.signals[signal]));
}
process.on('exit', () => {
  killWorkers(); // and with this process, its PostgreSQL ends
  rmSync(folder, { recursive: true, force: true });
});

await main();
