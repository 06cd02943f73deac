/**
 * The previous version keeps working after a newer one has migrated: https://martinfowler.com/bliki/ParallelChange.html
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { needsOf } from '../src/platform/db/migrate.ts';
import { newStorage, ownerOf, serveHere, startServer } from './harness/program.ts';
import { newFolder, removeFolder } from './harness/storage.ts';
import { newJob, newRun } from './harness/submission.ts';
import { createServerDatabase } from './server/createServerDatabase.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, 'migrations');
const migrations = readdirSync(folder).toSorted();

/** Statements that break a program which still uses the previous tables. */
const narrowing =
  /\bdrop\s+(table|column|type|view)\b|\brename\b|\bset\s+not\s+null\b|\balter\s+(column\s+)?\w+\s+(set\s+data\s+)?type\b|\badd\s+column\s+(?![^,;]*\bdefault\b)[^,;]*\bnot\s+null\b/i;

test('a migration that takes something away says which programs can do without', () => {
  for (const [text, isNarrowing] of [
    ['alter table a add column b int;', false],
    ['alter table a add column b int not null default 0, add column c text;', false],
    ['create table c (id uuid not null);', false],
    ['alter table a add column b int not null;', true],
    ['alter table a\n  drop column b;', true],
    ['alter table a rename b to c;', true],
    ['alter table a alter column b type bigint;', true],
    ['alter table a alter b set not null;', true],
    ['drop table a;', true],
  ] as const)
    assert.equal(narrowing.test(text), isNarrowing, text);
  for (const name of migrations) {
    const text = readFileSync(join(folder, name), 'utf8');
    const statements = text.replaceAll(/--.*$/gm, '');
    assert.ok(
      !narrowing.test(statements) || needsOf({ text }) > '0000',
      `${name} needs a comment as in docs/how-to/upgrade.md: -- Needs programs from NNNN: …`,
    );
  }
});

function git(...args: string[]): string | null {
  try {
    return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    return null; // no history, as in a packed release
  }
}

/** The commit before the newest migration. Null with one migration only: no program knew the tables before. */
function findPrevious(): string | null {
  if (migrations.length === 1) return null;
  const added = git('log', '-1', '--diff-filter=A', '--format=%H', '--', `migrations/${migrations.at(-1)}`);
  return added === null ? null : git('rev-parse', '--verify', added === '' ? 'HEAD' : `${added}^`);
}

const previous = findPrevious();

if (previous) {
  test('the previous program records and answers while the newest one has migrated', async () => {
    const old = newFolder();
    after(() => removeFolder(old));
    const archive = join(old, 'archive.tar');
    execFileSync('git', ['archive', '-o', archive, previous, 'src', 'migrations', 'package.json'], {
      cwd: root,
    });
    execFileSync('tar', ['-xf', archive], { cwd: old });
    symlinkSync(join(root, 'node_modules'), join(old, 'node_modules'));
    mkdirSync(join(old, 'web'));
    symlinkSync(join(root, 'web', 'dist'), join(old, 'web', 'dist'));

    const { DATA_DIR } = await newStorage();
    const database = await createServerDatabase(process.env.TEST_DATABASE_URL!);
    const ENCRYPTION_KEY = randomBytes(32).toString('base64');
    const settings = { DATA_DIR, ENCRYPTION_KEY, DATABASE_URL: database.url };
    const before = await startServer(settings, {}, 'all', join(old, 'src', 'main.ts'));
    const now = await serveHere(settings);
    after(database.remove);
    const { orgId, token } = ownerOf(before);
    const send = async (server: { address: string }, path: string, body?: object) => {
      const response = await fetch(`${server.address}/api/v1${path}?org_id=${orgId}`, {
        method: body ? 'POST' : 'GET',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      assert.equal(response.status, 200, path);
      return response.json();
    };
    const at = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
    for (const server of [before, now, before]) {
      const jobs = [newJob({ started_at: at(15), completed_at: at(10) })];
      await send(server, '/runs', { runs: [newRun({ created_at: at(16), jobs })] });
    }
    for (const path of ['/dashboard/summary', '/dashboard/workflows/summary', '/costs', '/runs']) {
      const answers = await Promise.all([before, now].map((server) => send(server, path)));
      assert.partialDeepStrictEqual(answers[1], answers[0], path);
    }
    before.process.kill('SIGTERM');
    assert.equal(await before.ended, 0);
  });
}
