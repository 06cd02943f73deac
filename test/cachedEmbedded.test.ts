/** With the embedded database, tokens are not looked up again until any program commits something. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { openDatabase } from '../src/platform/db/database.ts';
import { lockCosts } from '../src/tenancy/organizations/organizations.ts';
import { cachedAddress } from './harness/cachedPaths.ts';
import { newDataDir, ownerOf, runCommand, serveHere } from './harness/program.ts';
import { newJob, newRun } from './harness/submission.ts';

const settings = { DATA_DIR: await newDataDir() };
const server = await serveHere(settings);
const { orgId, token: ownerToken } = ownerOf(server);
const summary = cachedAddress('dashboard/summary', orgId);

/** Commits as another program does, through the socket of the server's process. */
const joined = await openDatabase(
  { databaseUrl: null, dataDir: settings.DATA_DIR },
  { command: 'test', mayJoin: true, mayCreate: false },
);
after(joined.close);

const askWith = async (token: string, options: RequestInit & { path?: string } = {}) => {
  const { path = summary, ...others } = options;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const response = await fetch(`${server.address}${path}`, { ...others, headers });
  return { status: response.status, text: await response.text() };
};

/** Sends the same request twice, so that the answer is cached. */
async function keptAnswer(token = ownerToken): Promise<string> {
  const answers = [await askWith(token), await askWith(token), await askWith(token)];
  for (const { status, text } of answers) assert.deepEqual([status, text], [200, answers[0]!.text]);
  return answers[0]!.text;
}

async function command(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runCommand(args, settings);
  assert.equal(code, 0, stderr);
  return stdout.trim();
}

async function postRun(): Promise<void> {
  const now = new Date();
  const jobs = [newJob({ started_at: new Date(now.getTime() - 300_000), completed_at: now })];
  const runs = [
    newRun({ provider: 'github', run_id: String(now.getTime()), created_at: now, started_at: now, jobs }),
  ];
  const { status, text } = await askWith(ownerToken, {
    path: '/api/v1/runs',
    method: 'POST',
    body: JSON.stringify({ runs }),
  });
  assert.equal(status, 200, text);
}

const changes: Record<string, () => Promise<unknown>> = {
  'a request': postRun,
  'a command': () => command('price', 'terms', 'set', '--discount', '10'),
  'another program': () =>
    joined.db.transaction().execute(async (tx) => {
      await lockCosts(tx, orgId);
      await sql`update organization_days set runs = runs + 1 where org_id = ${orgId}`.execute(tx);
    }),
};

for (const [name, change] of Object.entries(changes)) {
  test(`what ${name} has committed is in the next answer`, async () => {
    const before = await keptAnswer();
    await change();
    const { text } = await askWith(ownerToken);
    assert.notEqual(text, before);
    assert.equal(text, (await askWith(ownerToken, { path: `${summary}&never_asked_before=${name}` })).text);
  });
}

const newToken = () => command('token', 'create', '--name', 'short', '--role', 'viewer');
const idOf = (token: string) => `tok_${token.split('_')[2]!}`;

test('a token that a command revokes gets no other answer', async () => {
  const token = await newToken();
  await keptAnswer(token);
  await command('token', 'revoke', idOf(token));
  assert.equal((await askWith(token)).status, 401);
});

test('a token that another program ends gets no other answer', async () => {
  const token = await newToken();
  await keptAnswer(token);
  await sql`
    update tokens set expires_at = now() - interval '1 second' where org_id = ${orgId} and id = ${idOf(token)}
  `.execute(joined.db);
  assert.equal((await askWith(token)).status, 401);
});
