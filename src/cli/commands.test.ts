import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { test } from 'node:test';
import { newStorage, ownerOf, runCommand, serveHere, spawnCommand } from '../../test/harness/program.ts';
import { readConfig } from '../config.ts';

/** A database without a server, and one with a server and Acme, which the command created before it. */
const away = await newStorage();
const acme = await newStorage();
const created = await runCommand(['org', 'create', '--name', 'Acme'], acme);
assert.equal(created.code, 0, created.stderr);
const acmeServer = await serveHere(acme);

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
  assert.equal(mistake.code, 2);
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
  const needed =
    'commander cli-table3 string-width strip-ansi ansi-regex emoji-regex is-fullwidth-code-point ipaddr.js';
  assert.deepEqual(loaded, new Set(needed.split(' ')));
});

test('RUNCOST_ORG chooses among several organizations, unless --org does', async () => {
  const several = await newStorage();
  const ids: string[] = [];
  for (const name of ['One', 'Two']) {
    const { stdout } = await runCommand(['org', 'create', '--name', name, '--json'], several);
    ids.push((JSON.parse(stdout) as { org_id: string }).org_id);
  }
  await serveHere(several);
  const add = (email: string, environment: object, ...args: string[]) =>
    runCommand(['member', 'add', '--email', email, ...args], { ...several, ...environment });
  assert.match((await add('a@x.test', {})).stderr, /--org \(or RUNCOST_ORG\) is required: there are several/);
  assert.equal((await add('a@x.test', { RUNCOST_ORG: ids[1]! })).code, 0);
  assert.match((await add('a@x.test', {}, '--org', ids[1]!)).stderr, /is already a member/);
  assert.equal((await add('a@x.test', { RUNCOST_ORG: ids[1]! }, '--org', ids[0]!)).code, 0);
  assert.match((await add('b@x.test', { RUNCOST_ORG: 'x' })).stderr, /--org .*must be a UUID/);
});

test('names an unknown command and suggests the nearest one', async () => {
  const cases: [string[], RegExp][] = [
    [['nosuch'], /unknown command 'nosuch'/],
    [['help', 'nosuch'], /unknown command 'nosuch'/],
    [['help', 'price', 'nosuch'], /unknown command 'price nosuch'/],
    [['wast', '--days', '7'], /unknown command 'wast'\n\(Did you mean waste\?\)/],
    [['reconcile'], /unknown command 'reconcile'\n\(Did you mean bill reconcile\?\)/],
    [
      ['revoke', 'tok_1'],
      /\(Did you mean token revoke, invitation revoke, sessions revoke, share revoke\?\)/,
    ],
    [['--wrong', 'waste'], /unknown option '--wrong'/],
    [['unknown', '--help'], /unknown command 'unknown'\n\(Commands: serve, migrate, .*\)/],
    [['--help', 'unknown'], /unknown command 'unknown'\n\(Commands: serve, migrate, .*\)/],
    [['-h', 'wast'], /unknown command 'wast'\n\(Did you mean waste\?\)/],
    [['bill', '--help', 'recon'], /unknown command 'bill recon'\n\(Did you mean bill reconcile\?\)/],
    [['wast', '-h'], /unknown command 'wast'\n\(Did you mean waste\?\)/],
    [['bill', 'recon'], /unknown command 'bill recon'\n\(Did you mean bill reconcile\?\)/],
    [['bill', 'recon', '--help'], /unknown command 'bill recon'\n\(Did you mean bill reconcile\?\)/],
    [['price', 'nosuch'], /unknown command 'price nosuch'\n\(Commands: .*books, .*rule.*\.\)/],
    [['price', 'rule', 'lst'], /\(Did you mean price rule list\?\)/],
    [['serve', 'more'], /too many arguments for 'serve'/],
  ];
  for (const [args, message] of cases) {
    const { code, stdout, stderr } = await runCommand(args, {});
    assert.deepEqual([code, stdout], [2, ''], args.join(' '));
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

test('every error begins the same way, and its exit code says its kind', async () => {
  const cases: [string[], object, number][] = [
    [['nosuch'], acme, 2],
    [['waste', '--nosuch'], acme, 2],
    [['alert', 'create', '--name', 'x', '--type', 'budget', '--threshold', '-1'], acme, 2],
    [['alert', 'get', 'nosuch'], acme, 4],
    [['alert', 'list'], { RUNCOST_URL: acmeServer.address, RUNCOST_TOKEN: 'runcost_x' }, 3],
    [['alert', 'list'], { RUNCOST_URL: acmeServer.address }, 3],
    [['alert', 'list'], { RUNCOST_URL: 'http://127.0.0.1:9', RUNCOST_TOKEN: 'x' }, 5],
    [['alert', 'list'], { ...acme, RUNCOST_TIMEOUT: 'soon' }, 2],
    [['alert', 'list'], away, 5],
    [['sign-in'], away, 5],
  ];
  for (const [args, settings, expected] of cases) {
    const { code, stderr } = await runCommand(args, { ...settings } as Record<string, string>);
    assert.deepEqual([code, /^error: \S/.test(stderr)], [expected, true], `${args.join(' ')}: ${stderr}`);
  }
});

test('a server that accepts and never answers is away', async () => {
  const silent = createServer();
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const settings = { RUNCOST_URL: `http://127.0.0.1:${port}`, RUNCOST_TOKEN: 'x', RUNCOST_TIMEOUT: '1' };
  const { code, stderr } = await runCommand(['alert', 'list'], settings);
  silent.close();
  assert.equal(code, 5);
  assert.match(stderr, /has not answered for 1 second\. Check the address, or set RUNCOST_TIMEOUT/);
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
    assert.equal(code, 2, expires);
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
  assert.equal(code, 2);
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

test('commands name the wrong option, and where the request went', async () => {
  const cases: [string[], RegExp][] = [
    [['org', 'create'], /--name/],
    [['org', 'create', '--name', 'a\u001B[2Jb'], /--name .*control characters/],
    [['token', 'create', '--name', 'x', '--role', 'king'], /--role.*owner/s],
    [['org', 'update', '--time-zone', 'Europe/Berln'], /--time-zone must be the IANA name .*did you mean/],
    [
      ['org', 'update', '--run-retention', '30'],
      /--run-retention must be at least 90\n\(PUT http:.*: 400, request /,
    ],
    ...['0x10', '1e3', '1_000', ' 5', 'Infinity'].map((number): [string[], RegExp] => [
      ['alert', 'create', '--name', 'x', '--type', 'budget', '--threshold', number],
      /--threshold must be a plain number such as 1000 or 12\.5, not "/,
    ]),
    [['org', 'update', '--name', '🚀'.repeat(256)], /--name .*at most 255 characters/],
    [['token', 'revoke'], /exactly one of <id>, --all/],
  ];
  for (const [args, message] of cases) {
    const { code, stderr } = await runCommand(args, acme);
    assert.equal(code, 2, args.join(' '));
    assert.match(stderr, message);
    assert.doesNotMatch(stderr, /at .*\.ts/);
  }
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
