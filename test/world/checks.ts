import { verifyRollups } from '../../src/ledger/runs/verifyRollups.ts';
import { dayOf } from '../../src/platform/lib/days.ts';
import { audit } from '../auditor/audit.ts';
import { textOf } from '../auditor/history.ts';
import { sendReport, work } from './actions.ts';
import { findLeft } from './data.ts';
import { wrongWrites } from './leases.ts';
import type { Process } from './processes.ts';
import { lastReport, type Run } from './reports.ts';
import { pause } from './webhook.ts';
import type { World } from './world.ts';

/** Asks for a run. Whatever was acknowledged before the question must be in the answer. */
export function readRun(world: World, process: Process, run: Run): void {
  const known = world.acknowledged.get(run);
  const before = [...(known ?? [])];
  world.begin(process, async () => {
    const answer = await world.ask(process, { method: 'GET', path: `/api/v1/runs/${run.id}` });
    if (!answer || answer.status >= 500 || world.mayBeRemoved(run)) return;
    // It was deleted meanwhile.
    if (world.acknowledged.get(run) !== known) return;
    const jobs: { attempt: number; job_id: string }[] = answer.status === 200 ? answer.body.data.jobs : [];
    const found = new Set(jobs.map(({ attempt, job_id }) => `${attempt}/${job_id}`));
    const lost = before.filter((job) => !found.has(job));
    if (answer.status !== 200 || lost.length > 0)
      world.problems.push(`${run.id} answers ${answer.status} without ${lost.join(' ')}`);
  });
}

/** All reports arrive and all work is done, while nothing fails. Then everything is compared. */
export async function rest(world: World): Promise<void> {
  world.isCalm = true;
  await settle(world);
  await checkAll(world);
  world.isCalm = false;
}

async function settle(world: World): Promise<void> {
  await world.drain();
  await world.revive();
  for (const report of world.unacknowledged.splice(0)) {
    await sendReport(world, world.processes[0]!, report);
    await world.drain();
  }
  for (const [run, jobs] of world.acknowledged) {
    if (!run.isGitHub || world.mayBeRemoved(run)) continue;
    const attempt = [...jobs].some((job) => job.startsWith('2/')) ? 2 : 1;
    await sendReport(world, world.processes[0]!, lastReport(run, attempt, world.template.source));
    await world.drain();
  }
  await pause(world, false);
  for (let rounds = 0; rounds < 3; rounds++) {
    world.forward(2 * 3_600);
    // By their timers, senders leave alone for a moment a webhook that had enough under way.
    world.pass(16);
    for (const name of world.processes[0]!.pollers.keys()) {
      work(world, world.processes[0]!, name);
      await world.drain();
    }
  }
  world.isRepricing = false;
  world.history.push({ at: world.now(), path: 'settled' });
}

async function checkAll(world: World): Promise<void> {
  world.problems.push(...(await findLeft(world)));
  for (const [what, statement] of leftOver) {
    const { rows } = await world.watcher.query<{ id: string }>(statement);
    for (const { id } of rows) world.problems.push(`${what} ${id}`);
  }
  for (const run of world.acknowledged.keys()) readRun(world, world.processes[1]!, run);
  await world.drain();
  world.begin(world.processes[0]!, () => checkSums(world, world.processes[0]!));
  await world.drain();
  for (const process of world.processes) {
    world.begin(process, () => compareViews(world, process));
    await world.drain();
  }
  world.begin(world.processes[0]!, () => checkBudgets(world, world.processes[0]!));
  await world.drain();
  for (const [what, statement] of doubles) {
    const { rows } = await world.watcher.query<{ key: string }>(
      `select key from (${statement}) of_all (key) where key is not null group by 1 having count(*) > 1`,
    );
    // Reported again after its deletion, a run is new.
    const isNew = (key: string) => [...world.deleted].some(({ id }) => key.split(' ').includes(id));
    for (const { key } of rows) if (!isNew(key)) world.problems.push(`twice: ${what} ${key}`);
  }
}

/** What can be said once everything is over. */
export async function judge(world: World): Promise<void> {
  const { names } = world.scheduler;
  world.problems.push(...(await wrongWrites(world.watcher, (pid) => names.get(pid) ?? 'nobody')));
  await auditAll(world);
}

/** No other view shows the days whose runs were removed. */
const isAsked = (question: string) =>
  ['cost day', 'net_cost workflow', 'jobs runner', 'runs day'].includes(question);

/** Recomputes everything from what was reported. */
async function auditAll(world: World): Promise<void> {
  if (world.isAmbiguous) return;
  world.sometimes('the auditor judged');
  // Costs changed at a time that nobody knows, or are as if they had never been there.
  const repriced = `select from tasks where kind = 'reprice' and (state ->> 'changedJobs')::int > 0`;
  const { rowCount: reprices } = await world.watcher.query(repriced);
  const areJudged = !world.areBudgetsAmbiguous && reprices === 0 && world.deleted.size === 0;
  if (areJudged) world.sometimes('the auditor judged budgets');
  const history = world.history.filter(({ path }) => areJudged || !path.startsWith('/api/v1/alerts'));
  const [process] = world.processes;
  const { orgId } = world.template;
  const ask = async (path: string, query: Record<string, string> = {}) => {
    const url = `${path}?${new URLSearchParams({ ...query, org_id: orgId }).toString()}`;
    const answer = await world.ask(process!, { method: 'GET', path: url });
    if (answer?.status !== 200) throw new Error(`${url}: ${answer?.text}`);
    return answer.body;
  };
  world.begin(process!, async () => {
    const { received } = world;
    const found = await audit(history, ask, world.now(), { pick: isAsked, received });
    if (found.length > 0) world.problems.push(`the auditor disagrees: ${textOf(found, world.history)}`);
  });
  await world.drain();
}

/** What may be there once only. */
const doubles: [what: string, keys: string][] = [
  ['trigger', `select alert_id || ' ' || period_start from alert_triggers`],
  [
    'notification',
    `select trigger_id || ' ' || recipient || (notice ->> 'resolved' is null) from notifications`,
  ],
  [
    'event',
    `select kind || ' ' || coalesce(
     (body::jsonb #>> '{data,run,id}') || ' ' || (body::jsonb #>> '{data,run,run_attempt}'),
     (body::jsonb #>> '{data,trigger,id}'),
     id) from events`,
  ],
  [
    'digest',
    `select concat(notice #> '{digest,id}', recipient, notice #> '{figures,period}') from notifications where notice ? 'digest'`,
  ],
  ['delivery', 'select webhook_id || event_id from deliveries'],
];

/** What is not there once all work is done. */
const leftOver: [what: string, statement: string][] = [
  ['still leased: delivery', 'select id from deliveries where lease is not null'],
  ['still leased: notification', 'select id from notifications where lease is not null'],
  ['still leased: task', 'select id from tasks where lease is not null'],
  [
    'not sent: delivery',
    `select id from deliveries where status in ('pending', 'held') or resend_at is not null`,
  ],
  ['removed, and yet there: run', 'select id from runs join removed_runs using (org_id, id)'],
];

async function checkSums({ template, problems }: World, { app }: Process): Promise<void> {
  const report = () => {};
  const { differences, jobsWithoutRun } = await app.db
    .transaction()
    .execute((tx) => verifyRollups(tx, template.orgId, { providers: app.providers, report }));
  for (const { table, day, of, measure, stored, summed } of differences)
    problems.push(`${table} ${day} ${of}: ${measure} is ${stored}, its rows have ${summed}`);
  if (jobsWithoutRun > 0n) problems.push(`${jobsWithoutRun} jobs have no run`);
}

const nanosOf = (dollars: number) => Math.round(dollars * 1e9);
const sumOf = (items: object[], field: string) =>
  items.reduce((sum, item) => sum + nanosOf((item as Record<string, number>)[field]!), 0);

/** As JSON. Nothing fails meanwhile. */
function asking(world: World, process: Process, method: 'GET' | 'POST' = 'GET') {
  return async (path: string) => {
    const separator = path.includes('?') ? '&' : '?';
    const url = `/api/v1/${path}${separator}org_id=${world.template.orgId}`;
    const answer = await world.ask(process, { method, path: url });
    if (answer?.status !== 200) throw new Error(`${path}: ${answer?.text}`);
    return answer.body;
  };
}

/** After a check by hand, a budget has an open trigger if its period costs more than the threshold, and none otherwise. */
async function checkBudgets(world: World, process: Process): Promise<void> {
  const [get, post] = [asking(world, process), asking(world, process, 'POST')];
  const today = dayOf(world.now());
  const { data } = await get('dashboard/trends?days=31');
  for (const id of world.template.alerts) {
    await post(`alerts/${id}/check`);
    const { period, threshold_amount: threshold } = await get(`alerts/${id}`);
    const start = period === 'day' ? today : `${today.slice(0, 7)}-01`;
    const spent = sumOf(
      data.filter(({ date }: { date: string }) => date >= start),
      'cost',
    );
    const { triggers } = await get(`alerts/${id}/triggers`);
    const open = triggers.filter((each: { resolved_at: string | null }) => each.resolved_at === null);
    if (open.length !== Number(spent > nanosOf(threshold)))
      world.problems.push(
        `the budget of a ${period} has ${open.length} open triggers at ${spent} nanodollars`,
      );
  }
}

/** The last 30 days cost the same wherever one asks. */
async function compareViews(world: World, process: Process): Promise<void> {
  const get = asking(world, process);
  const summary = await get('dashboard/summary');
  const trends = await get('dashboard/trends?days=30');
  const workflows = await get('dashboard/workflows?days=30&per_page=100');
  const costs = await get('costs?days=30&group_by=repository');
  const totals = {
    summary: nanosOf(summary.total_cost),
    trends: sumOf(trends.data, 'cost'),
    workflows: sumOf(workflows.workflows, 'total_cost'),
    costs: nanosOf(costs.data.total.value ?? costs.data.total.cost),
  };
  if (new Set(Object.values(totals)).size > 1)
    world.problems.push(`${process.place.name}: views differ: ${JSON.stringify(totals)}`);
}
