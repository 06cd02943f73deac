import assert from 'node:assert/strict';
import { Client } from 'pg';
import { startTestApp } from './app.ts';
import { exported } from './exports.ts';
import { newJob, newRun, submit } from './submission.ts';

const settings = {
  datestyle: 'SQL, DMY',
  intervalstyle: 'sql_standard',
  standard_conforming_strings: 'off',
  timezone: 'Pacific/Auckland',
  client_encoding: 'LATIN1',
  bytea_output: 'escape',
};

/** Defaults that a company may have set for its roles. */
export async function withSettings(databaseUrl: string): Promise<string> {
  const name = new URL(databaseUrl).pathname.slice(1);
  const client = new Client(databaseUrl);
  await client.connect();
  for (const [setting, value] of Object.entries(settings)) {
    await client.query(`alter database "${name}" set ${setting} = '${value}'`);
  }
  await client.end();
  return databaseUrl;
}

/** What the program answers on this database. */
export async function answersWith(databaseUrl: string): Promise<unknown[]> {
  const testApp = await startTestApp({ DATABASE_URL: databaseUrl });
  const organization = await testApp.newOrganization();
  const name = 'C:\\build\\new "日本", é';
  const times = { started_at: '2026-03-04T23:30:00Z', completed_at: '2026-03-04T23:50:00Z' };
  const job = newJob({ job_id: '1', name, ...times });
  await submit(organization, newRun({ run_id: '1', workflow_name: name, ...times, jobs: [job] }));
  const csv = (await exported(testApp, organization, { dataset: 'jobs' })).toString();
  assert.match(csv, /C:\\build\\new ""日本"", é/);
  const answers = ['trends?days=30', 'top-workflows?days=30', 'workflows/summary?days=30'].map(
    async (path) => (await organization.get(`/api/v1/dashboard/${path}`)).body,
  );
  return [csv, ...(await Promise.all(answers))];
}
