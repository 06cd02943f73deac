import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  constants,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { startTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { keep, retentionOf, runAt, workerOf } from '../../../test/harness/retention.ts';
import { submit } from '../../../test/harness/submission.ts';
import type { ExportRemoved } from '../../ledger/retention/removeRuns.ts';
import { exportRemovedTo } from './removedRuns.ts';

const testApp = await startTestApp();
const { app } = testApp;
const root = mkdtempSync(join(tmpdir(), 'runcost-removed-'));
after(() => rmSync(root, { recursive: true }));

type Line = { run_id: string; cost: number };

function exported(folder: string, dataset: string): Line[] {
  return globSync(`*/*/${dataset}-*.jsonl.gz`, { cwd: folder })
    .toSorted()
    .flatMap((file) =>
      gunzipSync(readFileSync(join(folder, file)))
        .toString()
        .split('\n')
        .filter(Boolean),
    )
    .map((line) => JSON.parse(line) as Line);
}

async function storedRuns({ orgId }: TestOrganization): Promise<string[]> {
  const rows = await app.db.selectFrom('runs').select('id').where('orgId', '=', orgId).execute();
  return rows.map(({ id }) => id);
}

async function withOldRuns(days: string[]): Promise<{ organization: TestOrganization; ids: string[] }> {
  const organization = await testApp.newOrganization({ plan: 'team' });
  const runs = days.map((day) => runAt(`${day}T10:00:00Z`));
  await submit(organization, ...runs);
  return { organization, ids: runs.map((run) => `run_api_${String(run['run_id'])}`) };
}

test('each removed run is in the files once, also if a step was interrupted after it wrote them', async () => {
  const folder = join(root, 'whole');
  const { organization, ids } = await withOldRuns(['2025-10-01', '2025-10-02', '2025-10-03', '2026-03-01']);
  await keep(organization, 90);
  const program = { exportRemoved: exportRemovedTo(folder) };
  let isInterrupted = false;
  const deleteRunDependents = async (): Promise<void> => {
    if (isInterrupted) return;
    isInterrupted = true;
    throw new Error('the process ends here');
  };
  const first = workerOf(testApp, 2, { ...program, deleteRunDependents });
  await first.processAll().catch(() => {});
  assert.equal((await storedRuns(organization)).length, 4);
  assert.deepEqual(
    exported(folder, 'runs').map(({ run_id: id }) => id),
    ids.slice(0, 2),
  );
  testApp.clock.forward(60);
  await workerOf(testApp, 2, program).processAll();
  assert.deepEqual(await storedRuns(organization), ids.slice(3));
  for (const dataset of ['runs', 'jobs']) {
    const lines = exported(folder, dataset);
    assert.deepEqual(
      lines.map(({ run_id: id }) => id),
      ids.slice(0, 3),
      dataset,
    );
    assert.ok(lines.every((line) => line.cost > 0));
  }
  assert.deepEqual(globSync(`${folder}/**/*.part`), []);
});

test('a run that takes the place of one deleted meanwhile is in the files before it is removed', async () => {
  const folder = join(root, 'deleted');
  const { organization, ids } = await withOldRuns(['2025-10-01', '2025-10-02', '2025-10-03']);
  await keep(organization, 90);
  const { read, discard } = exportRemovedTo(folder);
  let steps = 0;
  const exportRemoved: ExportRemoved = {
    discard,
    read: async (...asked) => {
      const write = await read(...asked);
      return async (requireTask) => {
        await write(requireTask);
        steps += 1;
        if (steps > 1) return;
        assert.equal((await organization.send('DELETE', `/api/v1/runs/${ids[0]}`)).status, 200);
      };
    },
  };
  await workerOf(testApp, 2, { exportRemoved }).processAll();
  assert.deepEqual(await storedRuns(organization), []);
  assert.deepEqual(
    exported(folder, 'runs').map(({ run_id: id }) => id),
    ids.slice(1),
  );
});

test('nothing is removed while the files cannot be written; the reason is shown, and runs are recorded', async () => {
  const { organization, ids } = await withOldRuns(['2025-10-01']);
  await keep(organization, 90);
  const folder = join(root, 'none');
  writeFileSync(folder, 'no folder');
  const step = async (exportRemoved: ExportRemoved = exportRemovedTo(folder)): Promise<string | null> => {
    await workerOf(testApp, 2, { exportRemoved }).processAll();
    testApp.clock.forward(61);
    const { removal } = await retentionOf(organization);
    assert.ok(removal.error === null || removal.status === 'running', removal.status);
    return removal.error;
  };
  assert.match(String(await step()), /^Nothing is removed while the export fails: .*(EEXIST|ENOTDIR)/);
  assert.deepEqual(await storedRuns(organization), ids);
  rmSync(folder);
  if (process.platform === 'linux') {
    const { removal } = await retentionOf(organization);
    const part = join(folder, organization.orgId, removal.id, 'jobs-000000000.jsonl.gz.part');
    mkdirSync(dirname(part), { recursive: true });
    symlinkSync('/dev/full', part);
    assert.match(String(await step()), /ENOSPC/);
    assert.deepEqual(await storedRuns(organization), ids);
    const left = globSync(`${dirname(part)}/*`).map((file) => basename(file));
    assert.deepEqual(left, ['runs-000000000.jsonl.gz.part']);

    // Opening it for writing hangs until someone reads, like files of a lost mount.
    execFileSync('mkfifo', [part]);
    const { promise: isWriting, resolve } = Promise.withResolvers<void>();
    const { read, discard } = exportRemovedTo(folder);
    const hung = step({
      discard,
      read: async (...asked) => {
        const write = await read(...asked);
        return (requireTask) => {
          resolve();
          return write(requireTask);
        };
      },
    });
    await isWriting;
    await submit(organization, runAt('2026-03-02T10:00:00Z'));
    assert.equal((await retentionOf(organization)).runs_to_remove, 1);
    const reader = await open(part, constants.O_RDONLY | constants.O_NONBLOCK);
    assert.match(String(await hung), /^Nothing is removed while the export fails/);
    await reader.close();
    assert.equal((await storedRuns(organization)).length, 2);
  }
  assert.equal(await step(), null);
  assert.ok(!(await storedRuns(organization)).includes(ids[0]!));
  assert.equal(exported(folder, 'jobs').length, 1);
});

test('a removal that fails after it wrote its files ends as failed', async () => {
  const { organization, ids } = await withOldRuns(['2025-10-01']);
  await keep(organization, 90);
  const worker = workerOf(testApp, 2, {
    exportRemoved: exportRemovedTo(join(root, 'failing')),
    deleteRunDependents: () => Promise.reject(new Error('it cannot forget')),
  });
  for (let tries = 0; tries < 5; tries++) {
    await assert.rejects(worker.processAll());
    testApp.clock.forward(100);
  }
  const { removal } = await retentionOf(organization);
  assert.deepEqual(
    [removal.status, removal.error],
    ['failed', 'The task failed; see the log of the service.'],
  );
  assert.deepEqual(await storedRuns(organization), ids);
});
