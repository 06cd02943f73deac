import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { parquetReadObjects } from 'hyparquet';
import { sql } from 'kysely';
import { startTestApp } from '../../../test/harness/app.ts';
import { createExport, download, exported, newExport, readExport } from '../../../test/harness/exports.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';
import { getTrends } from '../../ledger/costs/summary.ts';
import { cliActor } from '../../platform/lib/actor.ts';
import { parseUsd } from '../../platform/lib/money.ts';
import { type DoPiece, taskPoller } from '../../platform/work/tasks.ts';
import type { ExportInput } from './datasets.ts';
import { exportKind, type ExportState } from './exports.ts';
import { exportPoller, writeExport } from './writeExport.ts';

const testApp = await startTestApp();
const { app, worker, clock } = testApp;
const organization = await testApp.newOrganization();
const { signal } = new AbortController();
const formats = ['csv', 'jsonl', 'parquet'] as const;
const window = { from: '2026-03-10', to: '2026-03-12' };

const instants = [
  '2026-03-09T23:59:59.999Z',
  '2026-03-10T00:00:00Z',
  '2026-03-10T12:00:00Z',
  '2026-03-11T12:00:00Z',
  '2026-03-12T23:59:59.999Z',
  '2026-03-13T00:00:00Z',
];

/** Runs created and completed at the same few instants, within the window and at its edges. */
const runs = Array.from({ length: 36 }, (_, index) => {
  const at = instants[index % instants.length]!;
  const started = new Date(Date.parse(at) - 1_000 * (60 + index));
  const jobs = [1, 2].map((job) =>
    newJob({ job_id: `${index}-${job}`, started_at: started, completed_at: at }),
  );
  const unfinished = newJob({
    job_id: `${index}-3`,
    status: 'in_progress',
    conclusion: undefined,
    completed_at: undefined,
  });
  const workflow = `Workflow ${index % 4}`;
  return newRun({ run_id: `${index}`, workflow_name: workflow, created_at: at, jobs: [...jobs, unfinished] });
});
await submit(organization, ...runs);
// Amounts with nine decimals, and instants that only PostgreSQL distinguishes.
await sql`update jobs set cost_nanos = cost_nanos + 123456789`.execute(app.db);
for (const table of ['workflow_days', 'organization_days', 'runner_days', 'charge_days']) {
  await sql`update ${sql.table(table)} set cost_nanos = cost_nanos + 123456789 * jobs`.execute(app.db);
}
await sql`
  update jobs set completed_at = completed_at + interval '1 microsecond'
  where job_id like '%-2' and completed_at = '2026-03-11T12:00:00Z'
`.execute(app.db);

const idsInWindow = runs
  .filter(({ created_at }) => String(created_at) >= '2026-03-10' && String(created_at) < '2026-03-13')
  .map(({ run_id }) => String(run_id));

async function exportedBy(rowsPerPiece: number, fields: object): Promise<Buffer> {
  const id = await newExport(organization, { ...window, ...fields });
  const poller = exportPoller(app, rowsPerPiece);
  while (await poller.run(signal));
  assert.equal((await readExport(organization, id)).status, 'done');
  return (await download(testApp, organization, id)).rawPayload;
}

describe('for any page size', () => {
  const sizes = fc.integer({ min: 1, max: 60 });

  test('every job appears once, in the order of completion', async () => {
    const expected = idsInWindow.flatMap((id) => [`${id}-1`, `${id}-2`]).toSorted();
    await fc.assert(
      fc.asyncProperty(sizes, fc.constantFrom('jobs', 'focus'), async (size, dataset) => {
        const rows: Record<string, string>[] = parse(await exportedBy(size, { dataset, format: 'csv' }), {
          columns: true,
        });
        const name = dataset === 'jobs' ? 'job_id' : 'x_JobId';
        assert.deepEqual(rows.map((row) => row[name]!).toSorted(), expected);
        const ends = rows.map((row) => row['completed_at'] ?? row['ChargePeriodEnd']!);
        assert.deepEqual(ends, ends.toSorted());
      }),
      {
        numRuns: 4,
        examples: [
          [1, 'jobs'],
          [48, 'jobs'],
          [47, 'focus'],
        ],
      },
    );
  });

  test('every run appears once', async () => {
    await fc.assert(
      fc.asyncProperty(sizes, async (size) => {
        const text = (await exportedBy(size, { dataset: 'runs', format: 'jsonl' })).toString();
        const ids = [...text.matchAll(/"run_id":"run_api_(\d+)"/g)].map(([, id]) => id!);
        assert.deepEqual(ids.toSorted(), idsInWindow.toSorted());
      }),
      { numRuns: 3, examples: [[1], [24]] },
    );
  });

  test('CSV and JSON have equal bytes, and Parquet has equal rows', async () => {
    const dataset = 'jobs';
    for (const format of ['csv', 'jsonl'] as const) {
      assert.deepEqual(
        await exportedBy(5, { dataset, format }),
        await exportedBy(1_000, { dataset, format }),
      );
    }
    const rows = async (size: number) => {
      const file = new Uint8Array(await exportedBy(size, { dataset, format: 'parquet' })).buffer;
      return parquetReadObjects({ file });
    };
    // Seven groups, and more than the fourteen that one byte can count.
    assert.deepEqual(await rows(7), await rows(1_000));
    assert.deepEqual(await rows(2), await rows(1_000));
  });
});

test("an export's costs equal the dashboard's, to the last nano-dollar", async () => {
  const ctx = { ...app, actor: cliActor(organization.orgId), plan: 'team' as const };
  const { data } = await getTrends(ctx, 30);
  const days = data.filter(({ day }) => day >= window.from && day <= window.to);
  const expected = days.reduce((sum, { costNanos }) => sum + costNanos, 0n);
  assert.ok(expected % 1_000n !== 0n);
  for (const [dataset, column] of [
    ['jobs', 'cost'],
    ['daily', 'cost'],
    ['focus', 'BilledCost'],
    ['focus', 'EffectiveCost'],
    ['focus', 'ListCost'],
    ['focus', 'ContractedCost'],
  ] as const) {
    const csv = await exported(testApp, organization, { ...window, dataset });
    const rows: Record<string, string>[] = parse(csv, { columns: true });
    const sum = rows.reduce((total, row) => total + parseUsd(row[column]!), 0n);
    assert.equal(sum, expected, `${dataset} ${column}`);
    const lines = (await exported(testApp, organization, { ...window, dataset, format: 'jsonl' })).toString();
    const amounts = [...lines.matchAll(new RegExp(`"${column}":([\\d.]+)`, 'g'))];
    assert.equal(
      amounts.reduce((total, [, amount]) => total + parseUsd(amount!), 0n),
      expected,
    );
  }
});

test('the total of rows comes from the rollups', async () => {
  for (const [dataset, rows] of [
    ['jobs', 48],
    ['focus', 48],
    ['runs', 24],
    ['daily', 8],
  ] as const) {
    const created = await createExport(organization, { ...window, dataset });
    assert.equal(created.body.data.progress.total, rows, dataset);
    await worker.processAll();
    assert.equal((await readExport(organization, created.body.data.id)).rows, rows, dataset);
  }
  const { body } = await createExport(organization, { from: '2026-03-10T01:00:00Z', to: '2026-03-12' });
  assert.equal(body.data.progress.total, null);
  await worker.processAll();
  assert.deepEqual((await readExport(organization, body.data.id)).progress, { done: 36, total: 36 });
});

describe('a file continues where it was', () => {
  type Piece = DoPiece<ExportInput, ExportState>;
  const write = writeExport(app, 5);
  const pollerOf = (doPiece: Piece) => taskPoller(app, exportKind, doPiece);

  for (const format of formats) {
    test(`after a writer died before its commit, each time (${format})`, async () => {
      const whole = await exportedBy(5, { format });
      const id = await newExport(organization, { ...window, format });
      const dying = pollerOf((task, save, stop) =>
        write(
          task,
          async (to, advance) => {
            await save(to, advance);
            throw new Error('the power is gone');
          },
          stop,
        ),
      );
      const living = exportPoller(app, 5);
      for (let turns = 0; (await readExport(organization, id)).status !== 'done'; turns++) {
        assert.ok(turns < 30);
        await assert.rejects(dying.run(signal), /task exp_/);
        clock.forward(60);
        assert.equal(await living.run(signal), true);
      }
      assert.deepEqual((await download(testApp, organization, id)).rawPayload, whole);
    });

    test(`after a slow writer lost its turn (${format})`, async () => {
      const whole = await exportedBy(5, { format });
      const id = await newExport(organization, { ...window, format });
      const slow = pollerOf(async (task, save, stop) => {
        clock.forward(61);
        await worker.processAll();
        assert.equal((await readExport(organization, id)).status, 'done');
        await write(task, save, stop);
      });
      await exportPoller(app, 5).run(signal);
      assert.equal(await slow.run(signal), true);
      const { status, bytes } = await readExport(organization, id);
      assert.equal(status, 'done');
      const file = (await download(testApp, organization, id)).rawPayload;
      assert.equal(file.length, bytes);
      if (format !== 'parquet') assert.deepEqual(file, whole);
    });
  }

  test('after another writer wrote pages in between', async () => {
    const whole = await exportedBy(5, { format: 'csv' });
    const id = await newExport(organization, { ...window, format: 'csv' });
    const [one, other] = [exportPoller(app, 5), exportPoller(app, 5)];
    for (const writer of [one, other, other]) assert.equal(await writer.run(signal), true);
    while (await one.run(signal));
    assert.deepEqual((await download(testApp, organization, id)).rawPayload, whole);
  });

  test('but not after it was cancelled between two pages', async () => {
    const id = await newExport(organization, window);
    const poller = exportPoller(app, 5);
    await poller.run(signal);
    assert.equal((await readExport(organization, id)).rows, 5);
    const cancelling = pollerOf(async (task, save, stop) => {
      await organization.send('POST', `/api/v1/exports/${id}/cancel`);
      await write(task, save, stop);
    });
    await cancelling.run(signal);
    assert.equal((await readExport(organization, id)).rows, 5);
    await worker.processAll();
    const left = await app.db
      .selectFrom('exportChunks')
      .select('number')
      .where('exportId', '=', id)
      .execute();
    assert.deepEqual(left, []);
  });

  test('after the worker stopped during the digest', async () => {
    const id = await newExport(organization, window);
    const stopping = new AbortController();
    await exportPoller(app).run(signal);
    stopping.abort();
    await exportPoller(app).run(stopping.signal);
    assert.equal((await readExport(organization, id)).status, 'running');
    await worker.processAll();
    const { status, error } = await readExport(organization, id);
    assert.deepEqual([status, error], ['done', null]);
  });
});
