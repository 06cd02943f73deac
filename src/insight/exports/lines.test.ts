import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import { startTestApp } from '../../../test/harness/app.ts';
import { exported } from '../../../test/harness/exports.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';
import { csvLine, harmless } from '../../platform/lib/csv.ts';

const testApp = await startTestApp();

test('CSV lines from the database have the cells of JSON lines, in any text, amount and instant', async () => {
  const runs = Array.from({ length: 12 }, () => newRun({ jobs: Array.from({ length: 8 }, () => newJob()) }));
  const organization = await testApp.newOrganization();
  // After an upgrade, `jobs` keeps all columns for a while.
  await sql`update organizations set stores_job_facts = false`.execute(testApp.app.db);
  await submit(organization, ...runs);
  const signs = fc.constantFrom(...'=+-@＝－;,"\t\r\n\\\'a1 é\u{7f}\u{1f}[]{}%$'.split(/(?:)/u));
  const text = fc.string({ unit: signs, maxLength: 6 });
  const optional = fc.option(text, { freq: 3 });
  const amount = fc.bigInt({ min: -(10n ** 17n), max: 10n ** 17n });
  const instant = fc
    .constantFrom('.1', '.001', '.000001', '.999999', '.0005')
    .map((fraction) => sql<Date>`${`2026-03-18T10:0${fraction.length}:59${fraction}Z`}::timestamptz`);
  const rows = fc.record({
    name: optional,
    runnerName: optional,
    runnerGroup: optional,
    rawConclusion: optional,
    labels: fc.array(text, { maxLength: 3 }),
    costNanos: amount,
    nanosPerMinute: amount,
    createdAt: fc.option(instant),
    startedAt: fc.option(instant),
    completedAt: instant,
  });
  const facts = fc.record({ branch: optional, actor: optional, event: optional, repository: text });
  const { db } = testApp.app;
  const { orgId } = organization;
  const [jobIds, runIds] = [
    await db.selectFrom('jobs').select('jobId').where('orgId', '=', orgId).execute(),
    await db.selectFrom('runs').select('id').where('orgId', '=', orgId).execute(),
  ];
  for (const [index, values] of fc.sample(rows, jobIds.length).entries()) {
    const { jobId } = jobIds[index]!;
    await db.updateTable('jobs').set(values).where('orgId', '=', orgId).where('jobId', '=', jobId).execute();
  }
  for (const [index, values] of fc.sample(facts, runIds.length).entries()) {
    const { id } = runIds[index]!;
    await db.updateTable('runs').set(values).where('orgId', '=', orgId).where('id', '=', id).execute();
  }
  for (const dataset of ['jobs', 'runs']) {
    const csv = (await exported(testApp, organization, { dataset })).toString();
    const json = await exported(testApp, organization, { dataset, format: 'jsonl' });
    const lines = json.toString().trimEnd().split('\n').map(cellsOf);
    assert.ok(lines.length >= runs.length);
    assert.equal(csv.slice(csv.indexOf('\r\n') + 2), lines.map(csvLine).join(''), dataset);
  }
});

/** Keeps numbers as text, because they have more digits than a double. */
function cellsOf(line: string): string[] {
  const texts = JSON.parse(line, (_, value, context?: { source: string }) =>
    typeof value === 'number' ? { number: context!.source } : value,
  ) as Record<string, string | string[] | boolean | { number: string } | null>;
  return Object.values(texts).map((value) => {
    if (typeof value === 'string') return harmless(value);
    if (Array.isArray(value)) return harmless(JSON.stringify(value));
    return value === null ? '' : String(typeof value === 'object' ? value.number : value);
  });
}
