import assert from 'node:assert/strict';
import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
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
import { startTestApp } from './harness/app.ts';
import { startFakeGitHub } from './harness/gitHubApi.ts';
import { widenRecordedRuns } from './harness/recordedRuns.ts';
import { newJob, newRun, submit } from './harness/submission.ts';

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
  const needed = ['LICENSE', 'README.md', 'bin.mjs', 'launch.mjs', 'migrations/0001_schema.sql'];
  const priceList = 'intake/providers/github/prices/2026-01-01.json';
  const built = ['main.js', 'platform/postgres/ownPostgres.js', priceList];
  const client = ['client', 'clientCalls', 'clientVerbs'].flatMap((name) => [`${name}.js`, `${name}.d.ts`]);
  const imported = ['verifyWebhook.js', 'verifyWebhook.d.ts', ...client, 'clientTypes.d.ts'];
  const dist = [...built, ...imported].map((name) => `dist/${name}`);
  for (const file of [...needed, ...dist, 'web/dist/index.html']) {
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
  // It can still write when this has read enough.
  for await (const chunk of server.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false }))
    if (/Organization .*\n/.test((printed += chunk))) break;
  server.stdout.resume();
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
  const args = [
    join(folder, 'node_modules/runcost/bin.mjs'),
    'audit',
    'acme/app',
    '--days',
    '2',
    '--max-minutes',
    '10',
    '--json',
  ];
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

const tsc = (...files: string[]) => {
  const options = ['--ignoreConfig', '--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022'];
  const program = join(root, 'node_modules/typescript/lib/tsc.js');
  return spawnSync(process.execPath, [program, ...options, '--types', 'node', ...files], inFolder).stdout;
};

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
  assert.equal(tsc('receive.ts', 'nodeHeaders.ts'), '');
});

const guide = readFileSync(join(root, 'docs/how-to/use-the-api-from-typescript.md'), 'utf8');
const examples = [...guide.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code!);

test('the examples of the client have no type errors, and wrong questions have', () => {
  const files = examples.map((code, index) => {
    writeFileSync(join(folder, `example-${index}.mts`), code);
    return `example-${index}.mts`;
  });
  writeFileSync(
    join(folder, 'wrong.mts'),
    `import { createClient } from 'runcost/client';
    const runcost = createClient({ url: 'http://localhost' });
    await runcost.GET('/api/v1/cost');
    await runcost.GET('/api/v1/costs', { params: { query: { metric: 'euros' } } });
    await runcost.GET('/api/v1/costs', { params: { query: { dayz: 7 } } });
    await runcost.GET('/api/v1/runs/{id}');
    await runcost.POST('/api/v1/alerts', { params: { query: { org_id: '' } }, body: { name: 'A' } });
    (await runcost.GET('/api/v1/costs')).data.data.totals;
    await runcost.costs.list({ metric: 'euros' });
    await runcost.runs.get();
    await runcost.alerts.create({ name: 'A' });
    for await (const alert of runcost.alerts.get({ id: 'a' })) alert;
    `,
  );
  const lines = tsc(...files, 'wrong.mts').match(/^\S+(?=: error TS)/gm) ?? [];
  const expected = [3, 4, 5, 6, 7, 8, 9, 10, 11, 12].map((line) => `wrong.mts(${line}`);
  assert.deepEqual(
    lines.map((line) => line.split(',')[0]),
    expected,
  );
});

test('the examples of the client run against a server', async () => {
  const testApp = await startTestApp();
  const address = await testApp.listen();
  const organization = await testApp.newOrganization();
  const unit = newRun({ branch: 'main', jobs: [newJob({ name: 'unit' }), newJob({ name: 'lint' })] });
  await submit(organization, unit, newRun({ branch: 'other' }), newRun({ repo_name: 'acme/web' }));
  const env = {
    ...process.env,
    RUNCOST_URL: `${address}/`,
    RUNCOST_TOKEN: organization.token,
    WEBHOOK_SECRET: 'our secret',
    PORT: '0',
  };
  const [costs, pages, alert, webhook] = examples.map((code, index) => {
    const file = join(folder, `run-${index}.mts`);
    // One page for each job.
    writeFileSync(file, code.replace('limit: 1_000', 'limit: 1'));
    return file;
  });
  const run = async (file: string) =>
    (await promisify(execFile)(process.execPath, [file], { cwd: folder, env })).stdout;
  assert.equal(await run(costs!), 'acme/api 0.08\ntotal 0.08\n');
  assert.deepEqual((await run(pages!)).trim().split('\n').toSorted(), [
    'lint linux_2_core 5 0.04',
    'null linux_2_core 5 0.04',
    'unit linux_2_core 5 0.04',
  ]);
  assert.match(
    await run(alert!),
    /^created CI in total 5000\n400 invalid_request body.threshold_amount \S{8,}\n$/,
  );

  const child = spawn(process.execPath, [webhook!], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  after(() => void child.kill('SIGKILL'));
  const [listening] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
  const body = Buffer.from(
    '{"id":"evt_1","event":"webhook.ping","timestamp":"2026-03-18T12:00:00Z","data":{}}',
  );
  const send = async (secret: string) => {
    const headers = signedHeaders({
      deliveryId: 'del_1',
      eventId: 'evt_1',
      event: 'webhook.ping',
      attempt: 1,
      body,
      secrets: { current: secret, next: null },
      now: new Date(),
    });
    const url = `http://localhost:${/port: (\d+)/.exec(listening)![1]}`;
    return (await fetch(url, { method: 'POST', headers, body })).status;
  };
  assert.deepEqual([await send('our secret'), await send('another')], [204, 400]);
});
