import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { newStorage, ownerOf, runCommand, serveHere, spawnCommand } from '../../test/harness/program.ts';
import { readConfig } from '../config.ts';

/** A database without an organization, and one with Acme, which the command has created. */
const empty = await newStorage();
const acme = await newStorage();
const created = await runCommand(['org', 'create', '--name', 'Acme'], acme);
assert.equal(created.code, 0, created.stderr);

test('prints help, and mentions it after a mistake', async () => {
  const help = await runCommand(['--help'], {});
  assert.equal(help.code, 0);
  for (const word of [
    'serve',
    'sign-in',
    'sessions',
    'org',
    'token',
    'member',
    'backup',
    'verify',
    'resume',
    'migrate',
    'db',
    'demo',
    'DATA_DIR',
    'TRUSTED_PROXIES',
    'CORS_ORIGINS',
    'DATABASE_URL',
  ]) {
    assert.ok(help.stdout.includes(word), word);
  }
  const mistake = await runCommand(['org', 'creat'], {});
  assert.equal(mistake.code, 1);
  assert.match(mistake.stderr, /Did you mean org create/);
});

test('a command loads no library that only a server needs', async () => {
  const printLoaded = `
    import { registerHooks } from 'node:module';
    registerHooks({ load: (url, context, next) => (console.error(url), next(url, context)) });`;
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(printLoaded)}`;
  const { code, stderr } = await spawnCommand(['--help'], { NODE_OPTIONS });
  assert.equal(code, 0);
  const loaded = new Set([...stderr.matchAll(/node_modules\/((?:@[^/]+\/)?[^/]+)/g)].map(([, name]) => name));
  assert.ok(loaded.has('commander') && loaded.has('kysely'), 'it prints all that is loaded');
  const late = ['fastify', 'typebox', 'undici', 'nodemailer', '@octokit/core'];
  for (const name of [...late, '@modelcontextprotocol/server', 'openapi-fetch'])
    assert.ok(!loaded.has(name), name);
});

test('RUNCOST_ORG chooses among several organizations, unless --org does', async () => {
  const several = await newStorage();
  const ids: string[] = [];
  for (const name of ['One', 'Two']) {
    const { stdout } = await runCommand(['org', 'create', '--name', name, '--json'], several);
    ids.push((JSON.parse(stdout) as { org_id: string }).org_id);
  }
  const add = (email: string, environment: object, ...args: string[]) =>
    runCommand(['member', 'add', '--email', email, ...args], { ...several, ...environment });
  assert.match((await add('a@x.test', {})).stderr, /--org is required, or RUNCOST_ORG: there are several/);
  assert.equal((await add('a@x.test', { RUNCOST_ORG: ids[1]! })).code, 0);
  assert.match((await add('a@x.test', {}, '--org', ids[1]!)).stderr, /is already a member/);
  assert.equal((await add('a@x.test', { RUNCOST_ORG: ids[1]! }, '--org', ids[0]!)).code, 0);
  assert.match((await add('b@x.test', { RUNCOST_ORG: 'x' })).stderr, /RUNCOST_ORG must be a UUID/);
});

test('names an unknown command and suggests the nearest one', async () => {
  const cases: [string[], RegExp][] = [
    [['nosuch'], /unknown command 'nosuch'/],
    [['help', 'nosuch'], /unknown command 'nosuch'/],
    [['help', 'price', 'unpriced'], /unknown command 'price unpriced'/],
    [['wast', '--days', '7'], /unknown command 'wast'\n\(Did you mean waste\?\)/],
    [['reconcile'], /unknown command 'reconcile'\n\(Did you mean bill reconcile\?\)/],
    [['revoke', 'tok_1'], /\(Did you mean sessions revoke, token revoke, share revoke\?\)/],
    [['--wrong', 'waste'], /unknown option '--wrong'/],
    [['unknown', '--help'], /unknown command 'unknown'\n\(Commands: serve, sign-in, .*\)/],
    [['--help', 'unknown'], /unknown command 'unknown'\n\(Commands: serve, sign-in, .*\)/],
    [['-h', 'wast'], /unknown command 'wast'\n\(Did you mean waste\?\)/],
    [['bill', '--help', 'recon'], /unknown command 'bill recon'\n\(Did you mean bill reconcile\?\)/],
    [['wast', '-h'], /unknown command 'wast'\n\(Did you mean waste\?\)/],
    [['bill', 'recon'], /unknown command 'bill recon'\n\(Did you mean bill reconcile\?\)/],
    [['bill', 'recon', '--help'], /unknown command 'bill recon'\n\(Did you mean bill reconcile\?\)/],
    [['price', 'unpriced'], /unknown command 'price unpriced'\n\(Commands: books, show, .*rule\.\)/],
    [['price', 'rule', 'lst'], /\(Did you mean price rule list\?\)/],
    [['serve', 'more'], /too many arguments for 'serve'/],
  ];
  for (const [args, message] of cases) {
    const { code, stdout, stderr } = await runCommand(args, {});
    assert.deepEqual([code, stdout], [1, ''], args.join(' '));
    assert.match(stderr, message);
    assert.match(stderr, /see --help/);
  }
});

test('help and version work as words, help also after a group or a command', async () => {
  const printed = async (...args: string[]) => {
    const { code, stdout, stderr } = await runCommand(args, {});
    assert.deepEqual([code, stderr], [0, ''], args.join(' '));
    return stdout;
  };
  const usages: [string[], RegExp][] = [
    [['help'], /^Usage: runcost \[options\] \[command\]/],
    [['price', 'help'], /^Usage: runcost price \[options\]/],
    [['help', 'price'], /^Usage: runcost price \[options\]/],
    [['help', 'price', 'rule', 'add'], /^Usage: runcost price rule add /],
    [['price', 'help', 'rule', 'add'], /^Usage: runcost price rule add /],
    [['price', 'rule', 'help'], /^Usage: runcost price rule /],
    [['waste', 'help'], /^Usage: runcost waste /],
    [['org', 'create', 'help'], /^Usage: runcost org create /],
    [['price', 'rule', 'add', 'help'], /^Usage: runcost price rule add /],
    [['alert', 'check', 'help'], /^Usage: runcost alert check /],
    [['serve', 'help'], /^Usage: runcost serve /],
  ];
  for (const [args, usage] of usages) assert.match(await printed(...args), usage);
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  assert.equal(await printed('--version'), `${version}\n`);
  assert.equal(await printed('version'), `${version}\n`);
  const file = await runCommand(['bill', 'import', 'help'], await newStorage());
  assert.doesNotMatch(file.stdout, /Usage/);
});

test('every error begins the same way', async () => {
  for (const args of [['nosuch'], ['waste', '--nosuch'], ['waste', '--days', '0'], ['sign-in'], ['export']]) {
    const { stderr } = await runCommand(args, empty);
    assert.match(stderr, /^error: \S/, args.join(' '));
  }
});

test('a token is valid until the end of its last day in UTC, or until the instant', async () => {
  const create = (expires: string) =>
    runCommand(['token', 'create', '--name', expires, '--expires', expires], acme);
  for (const expires of ['2999-01-31', '2999-01-31T12:00:00Z']) {
    const { code, stderr } = await create(expires);
    assert.equal(code, 0, stderr);
  }
  for (const expires of ['2999-02-30', '2999-02-30T12:00:00Z', '1']) {
    const { code, stderr } = await create(expires);
    assert.equal(code, 1, expires);
    assert.match(stderr, /--expires must be/);
  }
  const { stdout } = await runCommand(['token', 'list', '--json'], acme);
  const tokens = JSON.parse(stdout) as { name: string; expires_at: string | null }[];
  assert.deepEqual(Object.fromEntries(tokens.map(({ name, expires_at }) => [name, expires_at])), {
    owner: null,
    '2999-01-31': '2999-01-31T23:59:59.999Z',
    '2999-01-31T12:00:00Z': '2999-01-31T12:00:00.000Z',
  });
});

test('rejects an email address by the name of its option or setting', async () => {
  const { code, stderr } = await runCommand(['member', 'add', '--email', 'ann@acme..test'], acme);
  assert.equal(code, 1);
  assert.match(stderr, /--email must be an email address/);
  const smtp = { ...acme, SMTP_URL: 'smtp://localhost' };
  for (const [from, isGood] of [
    ['alerts@acme.test', true],
    ['Runcost, Acme <alerts@acme.test>', true],
    ['alerts@acme..test', false],
    ['Runcost <alerts>', false],
    ['Runcost <a@acme.test> <b@acme.test>', false],
  ] as const) {
    const readFrom = () => readConfig({ ...smtp, EMAIL_FROM: from });
    if (isGood) assert.equal(readFrom().smtp?.from, from);
    else assert.throws(readFrom, /EMAIL_FROM must be an email address/, from);
  }
});

test('commands name the wrong option', async () => {
  const cases: [string[], RegExp][] = [
    [['org', 'create'], /--name/],
    [['org', 'create', '--name', 'a\u001B[2Jb'], /--name .*control characters/],
    [['org', 'create', '--name', 'a', '--login', 'a\nb'], /--login .*line breaks/s],
    [['token', 'create', '--name', 'x', '--role', 'king'], /--role.*owner/s],
    [['token', 'list', '--org', 'acme'], /--org must be a UUID/],
    [['token', 'list', '--org', '00000000-0000-4000-8000-000000000000'], /no organization 0{8}-/],
    [
      ['token', 'list'],
      /There is no organization yet\. .*if one is starting, run this again .*org create --name NAME/,
    ],
    [
      ['sign-in'],
      /There is no organization yet\. .*if one is starting, run this again .*org create --name NAME/,
    ],
    [
      ['member', 'add', '--email', 'a@acme.test'],
      /There is no organization yet\. .*if one is starting, run this again .*org create --name NAME/,
    ],
  ];
  for (const [args, message] of cases) {
    const { code, stderr } = await runCommand(args, empty);
    assert.equal(code, 1, args.join(' '));
    assert.match(stderr, message);
    assert.doesNotMatch(stderr, /at .*\.ts/);
  }
});

test('a name can have 255 characters, and an emoji is one', async () => {
  const rename = (name: string) => runCommand(['org', 'update', '--name', name], acme);
  const longest = await rename('🚀'.repeat(255));
  assert.equal(longest.code, 0, longest.stderr);
  const tooLong = await rename('🚀'.repeat(256));
  assert.equal(tooLong.code, 1);
  assert.match(tooLong.stderr, /--name .*at most 255 characters/);
});

test('an empty list of organizations says which command creates one', async () => {
  const { code, stdout, stderr } = await runCommand(['org', 'list'], empty);
  assert.deepEqual([code, stdout], [0, '']);
  const create = `DATA_DIR=${empty.DATA_DIR} npm run -s runcost -- org create --name NAME`;
  assert.equal(stderr, `No organization yet. Create one: ${create}\n`);
});

test('an organization gets a time zone, and a wrong one is named', async () => {
  const settings = await newStorage();
  await runCommand(['org', 'create', '--name', 'acme'], settings);
  const update = (...options: string[]) => runCommand(['org', 'update', ...options], settings);
  const changed = await update('--time-zone', 'Europe/Berlin', '--fiscal-year-start', '4', '--json');
  const { org_id: _, ...fields } = JSON.parse(changed.stdout);
  const calendar = { time_zone: 'Europe/Berlin', fiscal_year_start_month: 4, week_start: 'monday' };
  assert.deepEqual(fields, { name: 'acme', ...calendar, run_retention_days: null });
  assert.match((await update('--week-start', 'sunday')).stdout, /^week_start +sunday$/m);
  assert.match((await update('--run-retention', '400')).stdout, /^run_retention_days +400$/m);
  const shown = await runCommand(['org', 'retention', '--days', '90'], settings);
  assert.match(shown.stdout, /^runs are kept +400 days$/m);
  assert.match(shown.stdout, /^runs to remove +0$/m);
  assert.match((await update('--run-retention', 'none')).stdout, /^run_retention_days +forever$/m);
  assert.match((await update('--run-retention', '30')).stderr, /whole number from 90 to 36,500/);
  const wrong = await update('--time-zone', 'Europe/Berln');
  assert.deepEqual([wrong.code, wrong.stdout], [1, '']);
  assert.match(wrong.stderr, /--time-zone must be the IANA name .*did you mean Europe\/Berlin\?/);
});

test('commands end by themselves in a process of their own, beside a server', async () => {
  const settings = await newStorage();
  const { orgId } = ownerOf(await serveHere(settings));
  // The others run in this process in their own tests. These hold files, sockets, threads and timers while they work.
  const commands = [
    `export --dataset jobs --from 2026-01-01 --to 2026-01-01 --output - --org ${orgId}`,
    'backup --output -',
    'demo --days 1 --runs 1',
  ];
  const results = commands.map((command) => spawnCommand(command.split(' '), settings));
  for (const { code, stderr } of await Promise.all(results)) assert.equal(code, 0, stderr);
});
