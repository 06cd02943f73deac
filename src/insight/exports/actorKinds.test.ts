import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'csv-parse/sync';
import { parquetReadObjects } from 'hyparquet';
import { startTestApp } from '../../../test/harness/app.ts';
import { exported } from '../../../test/harness/exports.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';

const testApp = await startTestApp();

type Fields = Record<string, unknown>;

const readCsv = (file: Buffer): Fields[] => parse(file, { columns: true });
const readJsonLines = (file: Buffer): Fields[] =>
  file
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Fields);
const readParquet = (file: Buffer): Promise<Fields[]> =>
  parquetReadObjects({ file: new Uint8Array(file).buffer });

test('says the kind of actor in every format: of a job, its attempt; of a run, its latest', async () => {
  const jobOf = (id: string) => newJob({ job_id: id });
  const later = { started_at: '2026-03-18T12:00:00Z', completed_at: '2026-03-18T12:05:00Z' };
  const again = { run_id: 'again', workflow_name: 'again' };
  const organization = await testApp.newOrganization();
  await submit(
    organization,
    newRun({ actor: 'mona', jobs: [jobOf('person')] }),
    newRun({ actor: 'dependabot[bot]', jobs: [jobOf('bot')] }),
    newRun({ actor: 'Copilot', jobs: [jobOf('agent')] }),
    newRun({ jobs: [jobOf('nobody')] }),
    newRun({ ...again, actor: 'Copilot', jobs: [jobOf('first')] }),
    newRun({ ...again, actor: 'mona', run_attempt: 2, jobs: [newJob({ job_id: 'second', ...later })] }),
  );
  const kinds = {
    agent: 'agent',
    bot: 'bot',
    first: 'agent',
    nobody: null,
    person: 'person',
    second: 'person',
  };
  const kindsIn = (rows: Fields[], kindOf: (row: Fields) => unknown = (row) => row['actor_kind'] || null) =>
    Object.fromEntries(rows.map((row) => [row['job_id'] ?? row['x_JobId'], kindOf(row)]));
  const files = async (fields: object) => exported(testApp, organization, fields);
  assert.deepEqual(kindsIn(readCsv(await files({}))), kinds);
  assert.deepEqual(kindsIn(readJsonLines(await files({ format: 'jsonl' }))), kinds);
  assert.deepEqual(kindsIn(await readParquet(await files({ format: 'parquet' }))), kinds);
  const focus = readJsonLines(await files({ dataset: 'focus', format: 'jsonl' }));
  assert.deepEqual(
    kindsIn(focus, ({ Tags }) => (Tags as Fields)['ci/actor-kind'] ?? null),
    kinds,
  );
  const runs = readCsv(await files({ dataset: 'runs' }));
  const ofRuns = runs.map((row) => `${row['actor'] as string} ${row['actor_kind'] as string}`);
  const expected = [' ', 'Copilot agent', 'dependabot[bot] bot', 'mona person', 'mona person'];
  assert.deepEqual(ofRuns.toSorted(), expected);
});
