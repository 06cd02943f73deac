import assert from 'node:assert/strict';
import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { signedHeaders } from '../src/outreach/webhooks/signing.ts';
import { startFakeGitHub } from './harness/gitHubApi.ts';
import { widenRecordedRuns } from './harness/recordedRuns.ts';

const root = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'runcost-package-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const inProject = { cwd: root, encoding: 'utf8', stdio: 'pipe' } as const;
const inFolder = { ...inProject, cwd: folder } as const;

/**
 * Installs the tarball that would be published, beside links to the installed dependencies, and returns the names of its
 * files. `npm run fresh-machine` lets npx install it.
 */
function installPackage(): string[] {
  const options = ['--json', '--offline', '--no-update-notifier', '--pack-destination', folder];
  const [tarball] = JSON.parse(execFileSync('npm', ['pack', ...options], inProject));
  execFileSync('tar', ['-xzf', tarball.filename], inFolder);
  mkdirSync(join(folder, 'node_modules'));
  renameSync(join(folder, 'package'), join(folder, 'node_modules/runcost'));
  for (const name of readdirSync(join(root, 'node_modules')).filter((each) => !each.startsWith('.')))
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name));
  return tarball.files.map(({ path }: { path: string }) => path);
}
const packed = installPackage();

test('the package has the files of the program and of receivers, and no tests', () => {
  const needed = ['LICENSE', 'README.md', 'bin.mjs', 'launch.mjs', 'migrations/0001_foundation.sql'];
  const built = ['main.js', 'platform/db/embeddedWorker.js', 'verifyWebhook.js', 'verifyWebhook.d.ts'];
  for (const file of [...needed, ...built.map((name) => `dist/${name}`), 'web/dist/index.html']) {
    assert.ok(packed.includes(file), file);
  }
  const foreign = packed.filter((file) =>
    /\.test\.|^(src|test|bench|scripts|node_modules|data|\.)/.test(file),
  );
  assert.deepEqual(foreign, []);
});

test('the installed command loads the demo in an empty folder, and serves its pages', async () => {
  const bin = join(folder, 'node_modules/runcost/bin.mjs');
  const cwd = mkdtempSync(join(folder, 'empty-'));
  const env = { ...process.env, DATABASE_URL: '', DATA_DIR: '', PORT: '0', LOG_LEVEL: 'warn' };
  const runcost = (...args: string[]) =>
    execFileSync(process.execPath, [bin, ...args], { ...inProject, cwd, env });
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  assert.equal(runcost('--version'), `${version}\n`);
  assert.match(runcost('demo', '--runs', '50'), /^Loaded 50 runs/);
  const server = spawn(process.execPath, [bin], { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] });
  after(() => void server.kill('SIGKILL'));
  const ended = once(server, 'exit');
  let printed = '';
  for await (const chunk of server.stdout.setEncoding('utf8'))
    if (/Organization .*\n/.test((printed += chunk))) break;
  const [, address] = /Runcost is at (http\S+)/.exec(printed)!;
  assert.equal((await fetch(`${address}/readyz`)).status, 200);
  assert.match(await (await fetch(`${address}/`)).text(), /<script type="module"/);
  server.kill('SIGTERM');
  assert.deepEqual(await ended, [0, null]);
});

test('the installed command audits a repository, and leaves no folder', async () => {
  const fake = await startFakeGitHub();
  const end = new Date(Date.now() - 3_600_000);
  fake.repositories.set('acme/app', {
    runs: widenRecordedRuns('acme/app', { count: 12, gapSeconds: 60, end }),
  });
  const temporary = mkdtempSync(join(folder, 'tmp-'));
  const env = { ...process.env, GITHUB_API_URL: fake.url, GITHUB_TOKEN: fake.token, TMPDIR: temporary };
  const args = [join(folder, 'node_modules/runcost/bin.mjs'), 'audit', 'acme/app', '--days', '2', '--json'];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd: folder, env });
  const { runs, list_cost: cost, workflows, prices } = JSON.parse(stdout);
  assert.deepEqual(runs, { read: 12, total: 12, read_since: null, stopped_by: null, problems: [] });
  assert.ok(cost.period > 0 && cost.month >= 15 * cost.period && cost.month <= 30 * cost.period);
  assert.equal(workflows[0].repository, 'acme/app');
  assert.ok(prices.github_2025.period > prices.github_2026.period);
  assert.deepEqual([stderr, readdirSync(temporary)], ['', []]);
});

test('a receiver imports verifyWebhook from the package, and it verifies what we sign', () => {
  const script = `
    import { verifyWebhook } from 'runcost/verify-webhook';
    const { headers, body } = JSON.parse(process.argv[1]);
    const check = (secret) => {
      try {
        return verifyWebhook({ headers, body, secret }).id;
      } catch (error) {
        return error.message;
      }
    };
    console.log(JSON.stringify([check('our secret'), check('another')]));
  `;
  const body = '{"id":"evt_1","event":"webhook.ping","timestamp":"2026-03-18T12:00:00.000Z","data":{}}';
  const headers = signedHeaders({
    deliveryId: 'del_1',
    eventId: 'evt_1',
    event: 'webhook.ping',
    attempt: 1,
    body: Buffer.from(body),
    secrets: { current: 'our secret', next: null },
    now: new Date(),
  });
  const args = ['--input-type=module', '--eval', script, JSON.stringify({ headers, body })];
  const [accepted, refused] = JSON.parse(execFileSync(process.execPath, args, inFolder));
  assert.equal(accepted, 'evt_1');
  assert.match(refused, /no signature matches/);
});

test('the code in docs/how-to/receive-webhooks.md has no type errors', () => {
  const page = readFileSync(join(root, 'docs/how-to/receive-webhooks.md'), 'utf8');
  const code = /^### With this package\n+```ts\n(.*?)^```$/ms.exec(page)?.[1];
  assert.ok(code);
  writeFileSync(join(folder, 'receive.ts'), code);
  writeFileSync(
    join(folder, 'nodeHeaders.ts'),
    `import type { IncomingMessage } from 'node:http';
    import { verifyWebhook } from 'runcost/verify-webhook';
    export const eventOf = ({ headers }: IncomingMessage, body: Buffer): string =>
      verifyWebhook({ headers, body, secret: '', toleranceSeconds: 60, now: new Date() }).event;`,
  );
  const options = ['--ignoreConfig', '--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022'];
  const tsc = join(root, 'node_modules/typescript/lib/tsc.js');
  const args = [tsc, ...options, '--types', 'node', 'receive.ts', 'nodeHeaders.ts'];
  assert.equal(execFileSync(process.execPath, args, inFolder), '');
});
