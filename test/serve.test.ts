import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { findRunningServers } from '../src/platform/lib/runningServers.ts';
import {
  newDataDir,
  newStorage,
  ownerOf,
  programStart,
  runCommand,
  serveHere,
  spawnCommand,
  startServer,
  type Owner,
} from './harness/program.ts';

function runsBody(first: number, count: number): string {
  const runs = Array.from({ length: count }, (_, index) => ({
    run_id: String(first + index),
    workflow_name: 'CI',
    repo_name: 'acme/api',
    status: 'completed',
    conclusion: 'success',
    created_at: new Date().toISOString(),
    jobs: [
      {
        job_id: '1',
        runner: 'linux_2_core',
        started_at: '2026-01-01T00:00:00Z',
        completed_at: '2026-01-01T00:00:01Z',
      },
    ],
  }));
  return JSON.stringify({ runs });
}

type Server = { address: string };

function postRuns(server: Server, { token }: Owner, first: number, count: number): Promise<Response> {
  return fetch(`${server.address}/api/v1/runs`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: runsBody(first, count),
  });
}

async function countRuns(server: Server, { orgId, token }: Owner): Promise<number> {
  const response = await fetch(`${server.address}/api/v1/dashboard/workflows/summary?org_id=${orgId}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const body = (await response.json()) as { total_runs: number };
  return body.total_runs;
}

test('without a terminal, a start shows no token', async () => {
  const settings = await newStorage();
  const first = await startServer(settings);
  const owner = ownerOf(first);
  assert.doesNotMatch(first.printed() + first.stderr(), /runcost_(?!code_)/);
  assert.equal(await countRuns(first, owner), 0);
  const [announced, ...others] = findRunningServers(settings.DATA_DIR);
  assert.deepEqual([announced?.url, others], [first.address, []]);
  assert.ok(!first.stderr().includes('runcost_operator_'));
  const organizations = () =>
    fetch(`${first.address}/api/v1/organizations`, {
      headers: { authorization: `Bearer ${announced!.token}` },
    });
  const { data } = (await (await organizations()).json()) as { data: { org_id: string }[] };
  assert.deepEqual(
    data.map(({ org_id }) => org_id),
    [owner.orgId],
  );
  first.process.kill('SIGINT');
  assert.equal(await first.ended, 0);
  assert.deepEqual(readdirSync(join(settings.DATA_DIR, 'servers')), []);

  const second = await serveHere(settings);
  assert.doesNotMatch(second.printed(), /runcost_/);
  assert.match(second.printed(), new RegExp(owner.orgId));
  assert.equal(await countRuns(second, owner), 0);
  await second.stop();
});

test('a start says who may call this machine, and that a price list has ended only if jobs cost something since', async () => {
  const settings = await newStorage();
  const first = await serveHere(settings, {
    EGRESS_ALLOWED_CIDRS: '127.0.0.0/8',
    EGRESS_ALLOW_HTTP: 'true',
  });
  assert.match(first.printed(), /proxy, only EGRESS_ALLOWED_CIDRS and EGRESS_ALLOW_HTTP allow that\.$/m);
  assert.doesNotMatch(first.printed(), /Price list/);
  assert.equal((await postRuns(first, ownerOf(first), 0, 1)).status, 200);
  await first.stop();
  const second = await serveHere(settings);
  assert.match(second.printed(), /^Price list +.* has ended; .*Switch and reprice: .* price switch --org/m);
});

test('on a terminal, the first start shows lines to paste with the address and a token, which works', async () => {
  const command = [process.execPath, ...programStart, 'serve'];
  const [name, ...args] = inTerminal(command);
  const env = {
    ...process.env,
    DATABASE_URL: '',
    ...(await newStorage()),
    PORT: '0',
    LOG_LEVEL: 'warn',
  };
  const child = spawn(name!, args, { env, stdio: ['pipe', 'pipe', 'inherit'] });
  after(() => void child.kill('SIGKILL'));
  let shown = '';
  for await (const chunk of child.stdout.setEncoding('utf8')) {
    shown += chunk as string;
    if (/export ORG=\S+\s/.test(shown)) break;
  }
  assert.doesNotMatch(shown, /^\{/m);
  assert.match(shown, /sign-in#code=\S+\s/);
  const [, token, address] = /^ {2}export RUNCOST_TOKEN=(runcost_\S+)\s+export RUNCOST_URL=(\S+)\s/m.exec(
    shown,
  )!;
  const session = await fetch(`${address}/api/v1/session`, { headers: { authorization: `Bearer ${token}` } });
  const { data } = (await session.json()) as { data: { role: string } };
  assert.equal(data.role, 'owner');
});

/** Runs a command in a terminal, with the `script` of Linux or macOS. */
function inTerminal(command: string[]): string[] {
  return process.platform === 'darwin'
    ? ['script', '-q', '/dev/null', ...command]
    : ['script', '-qec', command.map((word) => `'${word}'`).join(' '), '/dev/null'];
}

function signIn(server: Server, code: string): Promise<Response> {
  return fetch(`${server.address}/api/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code }),
  });
}

test('the first start shows a link that signs in once, and `sign-in` prints more', async () => {
  const storage = await newStorage();
  const server = await serveHere(storage);
  const owner = ownerOf(server);
  const linkForm = /^ *(http\S+)\/sign-in#code=(\S+)$/m;
  const [, address, code] = linkForm.exec(server.printed())!;
  assert.equal(address, server.address);
  assert.match(
    server.printed(),
    /^ {2}export RUNCOST_TOKEN=\$\(.* token create --name me --role owner\)\n {2}export RUNCOST_URL=http\S+$/m,
  );
  assert.ok(server.printed().includes(`  export ORG=${owner.orgId}\n`), server.printed());
  const answer = await signIn(server, code!);
  assert.equal(answer.status, 201);
  const { data } = (await answer.json()) as { data: { role: string; organization: { id: string } } };
  assert.deepEqual([data.role, data.organization.id], ['owner', owner.orgId]);
  assert.equal((await signIn(server, code!)).status, 401);

  const { code: ended, stdout, stderr } = await runCommand(['sign-in'], storage);
  assert.equal(ended, 0, stderr);
  assert.equal(stdout.trim().split('\n').length, 1);
  const [, shown, another] = linkForm.exec(stdout)!;
  assert.equal(shown, server.address);
  assert.doesNotMatch(stderr, /runcost_/);
  const cookie = (await signIn(server, another!)).headers.get('set-cookie')!.split(';')[0]!;
  const session = await fetch(`${server.address}/api/v1/session`, { headers: { cookie } });
  assert.equal(session.status, 200);
});

test('the first start shows the public address if one is set', async () => {
  const server = await serveHere(await newStorage(), { PUBLIC_URL: 'https://costs.acme.test' });
  assert.match(server.printed(), /^ +https:\/\/costs\.acme\.test\/sign-in#code=runcost_code_/m);
  assert.match(
    server.printed(),
    /^Runcost is at https:\/\/costs\.acme\.test\nAPI docs at {3}https:\/\/costs\.acme\.test\/docs\nListening on {2}http:/m,
  );
  assert.match(server.address, /^http:\/\/127\.0\.0\.1:/);
});

/** Of the servers with their own PostgreSQL, whose tests go on with the folder of the one before. */
const dataDir = newDataDir();

test('on a free port, every address shown is the real one', async () => {
  const server = await serveHere({ DATA_DIR: dataDir }, { PORT: '0' });
  assert.equal(statSync(join(dataDir, 'encryption.key')).mode & 0o777, 0o600, 'only the owner reads secrets');
  assert.doesNotMatch(server.address, /:0$/);
  const { token } = ownerOf(server);
  const created = await fetch(`${server.address}/api/v1/sources`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ kind: 'github' }),
  });
  const source = (await created.json()) as { data: { ingest_url: string } };
  assert.ok(source.data.ingest_url.startsWith(`${server.address}/api/v1/ingest/`), source.data.ingest_url);
  const description = (await (await fetch(`${server.address}/openapi.json`)).json()) as { servers: unknown };
  assert.deepEqual(description.servers, [{ url: server.address }]);

  const session = await fetch(`${server.address}/api/v1/session`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const { data } = (await session.json()) as { data: { command_line: string } };
  assert.equal(data.command_line, `DATA_DIR=${dataDir} npm run -s runcost --`);

  // Commands use the running server, whatever their PORT.
  const settings = { DATA_DIR: dataDir, PORT: '4711' };
  const { stdout: link } = await runCommand(['sign-in'], settings);
  assert.ok(link.startsWith(`${server.address}/sign-in#code=`), link);
  const demo = await runCommand(['demo', '--days', '1', '--runs', '1'], settings);
  assert.ok(demo.stderr.includes(`"${server.address}/api/v1/dashboard/trends?`), demo.stderr);
  assert.ok(demo.stderr.includes(`${server.address}/docs`), demo.stderr);
  assert.ok(
    demo.stderr.includes(`$(RUNCOST_URL= DATA_DIR=${dataDir} PORT=4711 npm run -s runcost -- token`),
    demo.stderr,
  );
  const [, code] = /\/sign-in#code=(\S+)/.exec(demo.stdout)!;
  assert.equal((await signIn(server, code!)).status, 201);
  await server.stop();
});

test('commands show the public address of the running server, and without one that of their own settings', async () => {
  const server = await serveHere({ DATA_DIR: dataDir }, { PUBLIC_URL: 'https://costs.acme.test' });
  const joined = await runCommand(['sign-in'], { DATA_DIR: dataDir });
  assert.match(joined.stdout, /^https:\/\/costs\.acme\.test\/sign-in#code=/);
  await server.stop();
  const alone = await runCommand(['demo', '--days', '1', '--runs', '1'], { DATA_DIR: dataDir, PORT: '4711' });
  assert.match(alone.stdout, /^ {2}http:\/\/127\.0\.0\.1:4711\/sign-in#code=/m);
});

test('a lost key is reported, and no other is created in its place', async () => {
  rmSync(join(dataDir, 'encryption.key'));
  const { code, stderr } = await runCommand(['migrate'], { DATA_DIR: dataDir });
  assert.equal(code, 1);
  assert.match(stderr, /encryption\.key is missing/);
  assert.ok(!existsSync(join(dataDir, 'encryption.key')));
});

test('a signal lets the running request finish', async () => {
  const server = await serveHere(await newStorage());
  const answer = postRuns(server, ownerOf(server), 0, 1_000);
  // The connection is open once a second request succeeds.
  await fetch(`${server.address}/healthz`);
  await server.stop();
  assert.equal((await answer).status, 200);
});

test('a busy port exits with 1 and a message, without a stack', async () => {
  const server = await serveHere(await newStorage());
  const port = new URL(server.address).port;
  const { code, stderr } = await spawnCommand(['serve'], { ...(await newStorage()), PORT: port });
  assert.equal(code, 1);
  assert.match(stderr, new RegExp(`PORT ${port}`));
  assert.doesNotMatch(stderr, /at .*\.ts/);
});

test('all invalid settings are named together', async () => {
  const settings = {
    PORT: 'eighty',
    LOG_LEVEL: 'loud',
    DATABASE_URL: 'mysql://u:hidden@h/d',
    ENCRYPTION_KEY: 'short',
    PUBLIC_URL: 'https://u:p@x/?a',
    TRUSTED_PROXIES: '10.0.0.1,proxy.acme.test',
    CORS_ORIGINS: '*',
    RATE_LIMIT: '-1',
    SMTP_URL: 'imap://u:hidden@h',
    EMAIL_FROM: 'nobody',
    EGRESS_ALLOWED_CIDRS: '10.1.0.0/16,10/8',
    EGRESS_ALLOW_HTTP: 'sometimes',
  };
  const { code, stderr } = await runCommand(['serve'], settings);
  assert.equal(code, 2);
  for (const name of Object.keys(settings)) assert.match(stderr, new RegExp(`^ +${name} must be`, 'm'));
  assert.doesNotMatch(stderr, /hidden|short/);
  assert.doesNotMatch(stderr, /at .*\.ts/);
});

test('a mail server without a sender names the missing setting, and so does the reverse', async () => {
  const cases: [settings: Record<string, string>, message: RegExp][] = [
    [{ SMTP_URL: 'smtp://u:hidden@h', EMAIL_FROM: '' }, /^ +EMAIL_FROM must be set with SMTP_URL$/m],
    [{ SMTP_URL: '', EMAIL_FROM: 'a@acme.test' }, /^ +SMTP_URL must be set with EMAIL_FROM$/m],
  ];
  for (const [settings, message] of cases) {
    const { code, stderr } = await runCommand(['serve'], settings);
    assert.equal(code, 2);
    assert.match(stderr, message);
    assert.equal(stderr.trim().split('\n').length, 2, stderr);
    assert.doesNotMatch(stderr, /hidden|at .*\.ts/);
  }
});

test('an unreachable database names its setting, without the password', async () => {
  const DATABASE_URL = 'postgres://someone:hidden@127.0.0.1:1/none';
  const { code, stderr } = await runCommand(['serve'], { DATABASE_URL });
  assert.equal(code, 5);
  assert.match(stderr, /at DATABASE_URL cannot be used: connect ECONNREFUSED/);
  assert.doesNotMatch(stderr, /hidden|at .*\.ts/);
});

test('the first organization needs no server, and other commands ask a running one', async () => {
  const settings = await newStorage();
  const created = await runCommand(['org', 'create', '--name', 'acme', '--json'], settings);
  assert.equal(created.code, 0, created.stderr);
  assert.equal(created.stderr, '');
  const { org_id: orgId, token, ...rest } = JSON.parse(created.stdout) as Record<string, string>;
  assert.deepEqual(rest, {});
  assert.equal(created.stdout.trim().split('\n').length, 1);

  const server = await serveHere(settings);
  assert.equal(await countRuns(server, { orgId: orgId!, token: token! }), 0);
  const listed = await runCommand(['org', 'list', '--json'], settings);
  assert.deepEqual(
    (JSON.parse(listed.stdout) as { org_id: string }[]).map((organization) => organization.org_id),
    [orgId],
  );
  const made = await runCommand(['token', 'create', '--name', 'ci', '--role', 'viewer', '--json'], settings);
  const ci = JSON.parse(made.stdout) as { id: string; token: string };
  assert.equal(await countRuns(server, { orgId: orgId!, token: ci.token }), 0);
  assert.equal((await runCommand(['token', 'revoke', ci.id], settings)).code, 0);
  const refused = await fetch(`${server.address}/api/v1/dashboard/summary?org_id=${orgId}`, {
    headers: { authorization: `Bearer ${ci.token}` },
  });
  assert.equal(refused.status, 401);
  const tokens = await runCommand(['token', 'list'], settings);
  assert.match(tokens.stdout, new RegExp(`^${ci.id} .*Z$`, 'm'));
  const member = await runCommand(['member', 'add', '--email', 'ada@acme.test', '--role', 'owner'], settings);
  assert.equal(member.code, 0, member.stderr);
  assert.equal((await runCommand(['migrate'], settings)).code, 0);
});
