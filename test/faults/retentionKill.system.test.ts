import assert from 'node:assert/strict';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { sql } from 'kysely';
import { pino } from 'pino';
import { createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { newStorage, ownerOf, runCommand, startServer, type RunningServer } from '../harness/program.ts';
import { figuresIn, questions, runAt } from '../harness/retention.ts';

const settings = await newStorage();
const runCount = 1_500;
const folder = mkdtempSync(join(tmpdir(), 'runcost-removed-'));
after(() => rmSync(folder, { recursive: true }));
const withFiles = { RETENTION_EXPORT_DIR: folder };
const retention = { ...withFiles, RETENTION_DAYS: '90' };
const dayMilliseconds = 86_400_000;

async function kill(server: RunningServer): Promise<void> {
  server.process.kill('SIGKILL');
  await server.ended;
}

/** Waits in the database of a running server until removals have begun; returns how many runs are left then. */
async function waitForRemoval(): Promise<number> {
  const app = await createApp(readConfig(settings), {
    mayCreate: false,
    log: pino({ level: 'silent' }),
  });
  try {
    for (;;) {
      const { rows } = await sql<{ runs: number }>`select count(*)::int as runs from runs`.execute(app.db);
      if (rows[0]!.runs < runCount) return rows[0]!.runs;
    }
  } finally {
    await app.close();
  }
}

function exportedRuns(): string[] {
  const files = globSync(`${folder}/*/*/runs-*.jsonl.gz`).map((file) => gunzipSync(readFileSync(file)));
  return files.flatMap((lines) => lines.toString().match(/(?<="run_id":")[^"]+/g) ?? []);
}

test(
  'a removal of old runs that is killed changes no figure, goes on, and exports each run once',
  { timeout: 180_000 },
  async () => {
    const first = await startServer(settings);
    const owner = ownerOf(first);
    const ask = async (server: RunningServer, path: string, body?: object): Promise<string> => {
      const response = await fetch(`${server.address}/api/v1/${path}`, {
        method: body ? 'POST' : 'GET',
        headers: { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      const text = await response.text();
      assert.ok(response.ok, text);
      return text;
    };
    const figuresOf = async (server: RunningServer) => {
      const figures: unknown[] = [];
      for (const [path, query] of questions) {
        if (path === 'dashboard/projection') continue; // changes with the time of day
        const asked = new URLSearchParams(path.startsWith('dashboard/') ? { org_id: owner.orgId } : {});
        for (const [name, value] of Object.entries(query)) asked.set(name, String(value));
        figures.push(figuresIn(await ask(server, `${path}?${asked.toString()}`)));
      }
      return figures;
    };
    const retentionOf = async (server: RunningServer) => JSON.parse(await ask(server, 'retention')).data;

    const at = (index: number) => new Date(Date.now() - (100 + (index % 50)) * dayMilliseconds).toISOString();
    for (let from = 0; from < runCount; from += 500) {
      const runs = Array.from({ length: 500 }, (_, index) => runAt(at(from + index)));
      await ask(first, 'runs', { runs });
    }
    const before = await figuresOf(first);
    await kill(first);

    const second = await startServer(settings, retention);
    const left = await waitForRemoval();
    await kill(second);
    assert.ok(left > 0, 'too late: all runs are removed');

    // Without a limit nothing more is removed, so that the state in between is visible.
    const third = await startServer(settings, withFiles);
    assert.deepEqual(await figuresOf(third), before);
    await kill(third);
    const verified = await runCommand(['verify'], settings);
    assert.equal(verified.code, 0, verified.stdout);

    const fourth = await startServer(settings, retention);
    let status = await retentionOf(fourth);
    while (status.removal.status !== 'done' || status.runs_to_remove > 0) status = await retentionOf(fourth);
    assert.deepEqual(await figuresOf(fourth), before);
    await kill(fourth);
    const exported = exportedRuns();
    assert.deepEqual([exported.length, new Set(exported).size], [runCount, runCount]);
  },
);
