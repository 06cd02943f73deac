import { dayOf } from '../../src/platform/lib/days.ts';
import { newJob, newRun } from '../harness/submission.ts';
import { doWork, oneOf, type Step } from './actions.ts';
import { acknowledgeAll, insist } from './operators.ts';
import type { Run } from './reports.ts';
import type { World } from './world.ts';

const firstDay = '2025-11-01';

/** Asks for all runs, writes the file, and reads it. It has what was acknowledged before it was asked for. */
export const exportRuns: Step = (world, random) => {
  const process = oneOf(random, world.processes);
  const body = { dataset: 'runs', format: 'csv', from: firstDay, to: dayOf(world.now()) };
  const before = [...world.acknowledged];
  const isKept = ([run, jobs]: [Run, Set<string>]) =>
    world.acknowledged.get(run) === jobs && !world.mayBeRemoved(run);
  world.begin(process, async () => {
    const asked = await world.ask(process, { path: '/api/v1/exports', body });
    // Others are written at the time.
    if (!asked || asked.status >= 500 || asked.status === 409) return;
    if (asked.status !== 201) throw new Error(`export: ${asked.text}`);
    await doWork(process, 'tasks: export');
    const path = `/api/v1/exports/${asked.body.data.id}/download`;
    const file = await world.ask(process, { method: 'GET', path });
    if (file?.status !== 200) return;
    world.sometimes('an export was read');
    // The first column is the run's id.
    const rows = file.text.trim().split(/\r?\n/).slice(1);
    const found = new Set(rows.map((row) => row.split(',')[0]!));
    const lost = before.filter((each) => isKept(each) && !found.has(each[0].id)).map(([{ id }]) => id);
    if (lost.length > 0) world.problems.push(`an export lacks ${lost.join(' ')}`);
    if (found.size < rows.length) world.problems.push('an export has a run twice');
  });
  return `${process.place.name}: export of ${before.length} runs or more`;
};

/** To the auditor, it is as if it had never been reported. */
export const deleteRun: Step = async (world, random) => {
  await acknowledgeAll(world, random);
  const run = oneOf(random, [...world.acknowledged.keys()]);
  if (!run || world.mayBeRemoved(run)) return 'nothing to delete';
  world.acknowledged.delete(run);
  world.deleted.add(run);
  const answer = await insist(world, random, { method: 'DELETE', path: `/api/v1/runs/${run.id}` });
  if (![200, 404].includes(answer.status)) throw new Error(`deletion: ${answer.text}`);
  world.history.splice(0, Infinity, ...world.history.filter((step) => step.run !== run));
  return `${run.id} is deleted`;
};

/** With all that is in it. */
export const deleteOther: Step = async (world, random) => {
  const { other } = world.template;
  if (world.isOtherDeleted) return 'the other organization is gone';
  const headers = { authorization: `Bearer ${other.token}` };
  const process = oneOf(random, world.processes);
  // Somebody still reports to it.
  const body = { runs: [newRun({ run_id: 'second', jobs: [newJob({ job_id: 'a' })] })] };
  world.begin(process, async () => void (await world.ask(process, { path: '/api/v1/runs', body, headers })));
  const path = '/api/v1/organization?confirm=Other';
  const answer = await insist(world, random, { method: 'DELETE', path, headers });
  if (![200, 401].includes(answer.status)) throw new Error(`deletion: ${answer.text}`);
  world.isOtherDeleted = true;
  return 'the other organization is deleted';
};

/** Rows of what was deleted, once all work is done. The log of a reprice keeps its jobs, which an undo skips. */
export async function findLeft(world: World): Promise<string[]> {
  const { orgId } = world.template.other;
  const runs = [...world.deleted].filter((run) => !world.acknowledged.has(run)).map(({ id }) => id);
  if (runs.length > 0) world.sometimes('a deleted run stayed deleted', runs.length);
  if (world.isOtherDeleted) world.sometimes('an organization was deleted');
  const { rows: tables } = await world.watcher.query<{ name: string; column: string }>(
    `select table_name as name, column_name as column from information_schema.columns
     join information_schema.tables using (table_schema, table_name)
     where table_schema = 'public' and table_type = 'BASE TABLE' and (column_name = 'org_id'
       or column_name = 'run_id' and table_name <> 'reprice_changes' or table_name = 'runs' and column_name = 'id')`,
  );
  const counts = tables.map(
    ({ name, column }) => `select '${name}' from ${name} where ${column}::text = any($1) having count(*) > 0`,
  );
  const gone = [...runs, ...(world.isOtherDeleted ? [orgId] : [])];
  const { rows } = await world.watcher.query<{ name: string }>(
    `select name from (${counts.join(' union ')}) of_all (name) order by 1`,
    [gone],
  );
  return rows.map(({ name }) => `deleted, and yet there: ${name} of ${gone.join(' or ')}`);
}
