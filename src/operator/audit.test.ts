import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { sharedTestApp } from '../../test/harness/app.ts';
import { startFakeGitHub } from '../../test/harness/gitHubApi.ts';
import { artifactOf, gigabyte } from '../../test/harness/gitHubStorage.ts';
import { programStart, runCommand, serveHere, startCommand } from '../../test/harness/program.ts';
import { widenRecordedRuns } from '../../test/harness/recordedRuns.ts';
import { newFolder, removeFolder } from '../../test/harness/storage.ts';
import { auditView, readAudit } from '../insight/audits/audit.ts';
import { gitHubPriceFiles, readPriceFiles } from '../intake/providers/github/runners.ts';
import { createProviders, publishedLists, type Providers } from '../ledger/pricing/provider.ts';
import { cliActor } from '../platform/lib/actor.ts';

const fake = await startFakeGitHub();
const end = new Date(Date.now() - 7_200_000);
const runs = widenRecordedRuns('acme/app', { count: 120, gapSeconds: 7_200, end });
for (const [index, { jobs }] of runs.entries())
  if (index % 20 === 0) for (const job of jobs) job['labels'] = ['gpu-box'];
const [newest] = runs.map(({ run }) => run).toSorted((a, b) => b.created_at.localeCompare(a.created_at));
const created = newest!.created_at;
const monthsLater = (months: number) =>
  new Date(Date.parse(created) + months * 30 * 86_400_000).toISOString();
const artifacts = [
  artifactOf({ run: newest!.id, bytes: 4 * gigabyte, created: monthsLater(-1), expires: monthsLater(2) }),
  artifactOf({ run: 1, name: 'logs', bytes: gigabyte, created, expires: monthsLater(3) }),
];
fake.repositories.set('acme/app', { runs, artifacts, caches: null });
const folder = newFolder();
after(() => removeFolder(folder));

/** A stand-in for a signed-in GitHub CLI. */
writeFileSync(join(folder, 'gh'), `#!/bin/sh\necho ${fake.token}\n`, { mode: 0o755 });
const temporary = join(folder, 'tmp');
mkdirSync(temporary);
const settings = {
  GITHUB_API_URL: fake.url,
  GITHUB_TOKEN: fake.token,
  GH_TOKEN: '',
  TMPDIR: temporary,
  PATH: `${folder}:${process.env.PATH}`,
  NO_COLOR: '1',
};
const audit = (args: string[], changes: Record<string, string> = {}) =>
  runCommand(['audit', '--max-minutes', '10', ...args], { ...settings, ...changes });

test('prints costs, waste, prices and unpriced labels of an organization, and keeps what it read', async () => {
  const keep = join(folder, 'kept');
  const { code, stdout, stderr } = await audit(['acme', '--keep', keep, '--plan', 'team'], {
    GITHUB_TOKEN: '',
  });
  assert.equal(code, 0, stderr);
  const amount = String.raw`\$[\d.]+`;
  for (const line of [
    /^acme, [A-Z][a-z]{2} \d+.* \(UTC\)\nRead all 120 runs\.$/m,
    new RegExp(`^ +30 DAYS  PER MONTH\\nList  ${amount}  +${amount}\\nNet   ${amount}  +\\$0\\.00`, 'm'),
    /Of a\s+month, it also takes off\s+the 3,000 included minutes on GitHub Team/,
    new RegExp(`^Workflows\\nWORKFLOW .*\\n.* acme/app +${amount} +${amount} +[\\d.]+% `, 'm'),
    new RegExp(`^Waste\\n${amount} of the list cost, [\\d.]+%, bought nothing useful\\.$`, 'm'),
    new RegExp(`^1\\. ${amount} a month: acme/app, .*\\n   \\w`, 'm'),
    new RegExp(`^Until 2025 +${amount} +${amount}\\nFrom 2026 +${amount} +${amount} +−[\\d.]+%$`, 'm'),
    /^Storage\nThe caches of acme\/app could not be\s+read\./m,
    /^5\.00 GB in artifacts and caches: \$1\.25 a month at list prices, before what plans\s+include\.$/m,
    /^\S.* +dist +artifact +1 +4\.00 +\$1\.00 +90$/m,
    /^not read +logs +artifact +1 +1\.00 +\$0\.25 +90$/m,
    /^These changes save up to \$1\.00 a month at list prices:\n\n\$1\.00 a month: acme\/app, dist\n(.*\n)+? +retention-days: 7$/m,
    /^Unpriced\n(.*\n)+?LABELS +JOBS +MINUTES\ngpu-box, group GitHub Actions +\d+ +\d+\nNewer than this version of Runcost: gpu-box\. Update it\.$/m,
  ])
    assert.match(stdout, line);
  assert.match(
    stderr,
    /^(.* runs .*\n)*\nThe runs are in .*kept\. To go on.*:\n {2}DATA_DIR=\S+kept npm start\n {2}DATA_DIR=\S+ .* sign-in\n$/,
  );
  const server = await serveHere({ DATA_DIR: keep });
  const kept = await runCommand(['costs', '--metric', 'runs', '--days', '30', '--json'], { DATA_DIR: keep });
  await server.stop();
  assert.equal((JSON.parse(kept.stdout) as { total: { value: number } }).total.value, 120);
  assert.deepEqual(readdirSync(temporary), []);
});

test('--keep takes a new or empty folder, and removes nothing else', async () => {
  const [full, file, empty] = ['full', 'file', 'empty'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  for (const path of [full, empty]) mkdirSync(path);
  for (const path of [join(full, 'mine'), file]) writeFileSync(path, 'mine');
  const refused: [keep: string, error: string][] = [
    [full, `--keep must be a new or empty folder, not ${full}`],
    [file, `--keep must be a new or empty folder, not ${file}`],
    [join(file, 'in'), `--keep must be a folder that can be created: ${join(file, 'in')} (ENOTDIR)`],
  ];
  for (const [keep, error] of refused) {
    const { code, stderr } = await audit(['acme/app', '--keep', keep], { GITHUB_TOKEN: 'wrong' });
    assert.deepEqual([code, stderr], [2, `error: ${error}\n`]);
  }
  const here = process.cwd();
  process.chdir(empty);
  const unset = await audit(['acme/app', '--keep', '']).finally(() => process.chdir(here));
  assert.deepEqual([unset.code, unset.stderr], [2, 'error: --keep must name a folder\n']);
  assert.ok(existsSync(empty), 'the folder where the command runs stays');
  fake.requests.length = 0;
  fake.interruptions.push({ hold: true });
  const { ended, interrupt } = startCommand(['audit', 'acme/app', '--keep', empty], settings);
  await fake.asked(1);
  writeFileSync(join(empty, 'foreign'), 'of another audit');
  interrupt();
  assert.equal((await ended).code, 130);
  fake.release();
  assert.deepEqual(readdirSync(empty), ['foreign']);
  assert.equal((await audit(['acme/none', '--keep', join(folder, 'none')])).code, 4);
  assert.deepEqual([existsSync(join(folder, 'none')), readdirSync(full)], [false, ['mine']]);
});

test('fails in one line, before it creates a database', async () => {
  const cases: [args: string[], changes: Record<string, string>, exit: number, error: RegExp][] = [
    [['acme/app/more'], {}, 2, /^error: .*must be owner\/name, or an owner\.\n.*see --help.*\n$/],
    [['acme/app', '--days', '91'], {}, 2, /^error: .*a whole number from 1 to 90\.\n.*\n$/],
    [['acme/none'], {}, 4, /^error: acme\/none does not exist, .*"Actions: read"\.\n$/],
    [['acme/app'], { GITHUB_TOKEN: 'wrong' }, 3, /^error: GitHub rejects the credentials.*\n$/],
    [
      ['acme/app'],
      { GITHUB_TOKEN: '', PATH: '/nowhere' },
      3,
      /^No token: GitHub allows 60 requests an hour.*`gh auth login`, or set GITHUB_TOKEN.*\nerror: .*\n$/,
    ],
    [
      ['acme/app'],
      { GITHUB_API_URL: 'http://127.0.0.1:1' },
      5,
      /^error: 127\.0\.0\.1:1: connection refused.*\n$/,
    ],
  ];
  for (const [args, changes, exit, error] of cases) {
    const { code, stdout, stderr } = await audit(args, changes);
    assert.deepEqual([code, stdout], [exit, ''], args.join(' '));
    assert.match(stderr, error);
  }
  assert.deepEqual(readdirSync(temporary), []);
});

test('--keep leaves no half-made folder when the database cannot be made', async () => {
  const half = join(folder, 'half');
  const command = ['-c', 'ulimit -f 1000; exec "$@"', 'sh', process.execPath, ...programStart];
  const child = spawn('sh', [...command, 'audit', 'acme/app', '--keep', half], {
    env: { ...process.env, ...settings },
  });
  const [code] = await once(child, 'exit');
  assert.deepEqual([code, existsSync(half)], [5, false]);
});

test('--open serves the dashboard until Ctrl-C, which leaves no folder', async () => {
  const { ended, interrupt, until } = startCommand(['audit', 'acme/app', '--days', '3', '--open'], settings);
  const [, address] = await until(/(http:\/\/127\.0\.0\.1:\d+)\/sign-in#code=\S+\n/);
  assert.equal((await fetch(`${address}/readyz`)).status, 200);
  interrupt();
  assert.equal((await ended).code, 0);
  assert.deepEqual(readdirSync(temporary), []);
});

test('Ctrl-C while it reads leaves no folder, nor one of an audit that was killed', async () => {
  fake.requests.length = 0;
  // No process has the first id.
  const [killed, running] = ['99999999', process.pid].map((pid) => `runcost-audit-${hostname()}-${pid}-x`);
  for (const name of [killed!, running!]) mkdirSync(join(temporary, name, 'data'), { recursive: true });
  fake.interruptions.push({ hold: true });
  const env = { ...process.env, ...settings, LOG_LEVEL: 'warn' };
  const child = spawn(process.execPath, [...programStart, 'audit', 'acme/app'], { env });
  after(() => void child.kill('SIGKILL'));
  const all = Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  await fake.asked(1);
  assert.equal(readdirSync(temporary).length, 2);
  child.kill('SIGINT');
  const [stdout, stderr, [code]] = await all;
  assert.deepEqual([code, stdout, stderr], [130, '', 'Stopped.\n']);
  assert.deepEqual(readdirSync(temporary), [running]);
  fake.release();
});

test("compares the last two of GitHub's price lists, also after the next one", async () => {
  const { app, newOrganization } = await sharedTestApp();
  const { orgId } = await newOrganization();
  const gitHub = app.providers.of('github')!;
  const files = readPriceFiles(gitHubPriceFiles);
  const priceLists = publishedLists(gitHub, [...files, { ...files[0]!, from: '2027-03-01' }]);
  const next = createProviders(
    app.providers.list.map((each) => (each.id === gitHub.id ? { ...gitHub, priceLists } : each)),
  );
  const runsRead = { read: 0, total: 0, readSince: null, stoppedBy: null, problems: [] };
  const until = app.clock.now();
  const read = { repositories: [], since: until, until, runs: runsRead, storageProblems: [], plan: null };
  const audited = { ...read, target: 'acme' };
  const listsOf = async (providers: Providers) => {
    const ctx = { ...app, providers, plan: 'pro' as const, actor: cliActor(orgId) };
    return Object.keys(auditView(await readAudit(ctx, audited)).prices).slice(0, 2);
  };
  assert.deepEqual(await listsOf(app.providers), ['github_2025', 'github_2026']);
  assert.deepEqual(await listsOf(next), ['github_2026', 'github_2027']);
});
