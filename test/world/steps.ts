import { dayOf } from '../../src/platform/lib/days.ts';
import type { Random } from '../../src/platform/lib/random.ts';
import { oneOf, sendReport, work, type Step } from './actions.ts';
import { readRun, rest } from './checks.ts';
import { deleteOther, deleteRun, exportRuns } from './data.ts';
import { acknowledgeAll, changePrices, checkAlert, keepLess, reprice } from './operators.ts';
import type { Process } from './processes.ts';
import { newReport, newRun } from './reports.ts';
import { changeWebhook, resend } from './webhook.ts';
import type { World } from './world.ts';

const maxRuns = 12;
const maxUnderWay = 6;

const report: Step = async (world, random) => {
  if (world.runs.length < maxRuns && (random() < 0.3 || world.runs.length === 0))
    world.runs.push(newRun(random, world.runs.length, world.now()));
  const process = oneOf(random, world.processes);
  const run = oneOf(random, world.runs);
  const again = random() < 0.2 ? oneOf(random, world.unacknowledged) : undefined;
  const sent = again ?? newReport(random, run, { source: world.template.source, now: world.now() });
  await sendReport(world, process, sent);
  return `${process.place.name}: report ${sent.run.id} with ${sent.jobs.join(' ') || 'no job'}`;
};

/** Of all work, most often what changes something. */
const busy = [
  'announce completions',
  'deliver',
  'deliver',
  'send notifications (1)',
  'check alerts',
  'announce shares of budgets',
  'plan digests',
  'tasks: reprice',
  'tasks: removal',
];

function drawWork(random: Random, process: Process): string {
  return oneOf(random, random() < 0.7 ? busy : [...process.pollers.keys()]);
}

const workOf: Step = (world, random) => {
  const process = oneOf(random, world.processes);
  const name = drawWork(random, process);
  work(world, process, name);
  return `${process.place.name}: ${name}`;
};

const both: Step = (world, random) => {
  const name = drawWork(random, world.processes[0]!);
  for (const process of world.processes) work(world, process, name);
  if (world.processes.every(({ running }) => running.has(name)))
    world.sometimes('two workers did the same work at once');
  return `both: ${name}`;
};

/** What happened is announced, by one process or both. */
const announce: Step = (world, random) => {
  const process = oneOf(random, world.processes);
  const names = ['announce completions', 'announce shares of budgets', 'deliver', 'send notifications (1)'];
  world.forward(61);
  for (const each of random() < 0.5 ? world.processes : [process]) work(world, each, ...names);
  return `${process.place.name}, or both: ${names.join(', ')}`;
};

const leasing = ['tasks: reprice', 'tasks: reprice', 'tasks: removal', 'send notifications (1)'];

/** One process begins some work, its leases end meanwhile, and another one takes over. */
const takeOver: Step = async (world, random) => {
  const name = oneOf(random, leasing);
  const first = oneOf(random, world.processes);
  work(world, first, name);
  for (let turns = Math.floor(random() * maxTurns); turns > 0; turns--) await world.scheduler.turn();
  world.forward(3 * minute);
  await world.revive();
  const other = world.processes.find((each) => each !== first)!;
  work(world, other, name);
  return `${first.place.name}, and three minutes later ${other.place.name}: ${name}`;
};

const minute = 60;
const jumps = [minute, minute, 3 * minute, 3 * minute, 20 * minute, 3 * 3_600, 14 * 3_600, 8 * 86_400];

const jump: Step = async (world, random) => {
  const seconds = oneOf(random, jumps);
  // What budgets cost on a day is known only if nothing was under way at midnight.
  if (random() < 0.5) await acknowledgeAll(world, random);
  const before = dayOf(world.now());
  world.forward(seconds);
  if (world.scheduler.underWay() > 0 && dayOf(world.now()) !== before)
    world.sometimes('midnight came during work');
  return `the clock jumps ${seconds} s`;
};

const pass: Step = (world) => {
  world.pass(16);
  return 'sixteen seconds pass';
};

const read: Step = (world, random) => {
  const process = oneOf(random, world.processes);
  const run = oneOf(random, [...world.acknowledged.keys()]);
  if (!run) return 'nothing to read';
  readRun(world, process, run);
  return `${process.place.name}: read ${run.id}`;
};

const kill: Step = async (world, random) => {
  const process = oneOf(random, world.processes);
  await world.restart(process);
  world.sometimes('a process was killed');
  return `${process.place.name} is killed`;
};

const restAll: Step = async (world) => {
  await rest(world);
  return 'all work is done, and all is compared';
};

const weights: [Step, number][] = [
  [report, 36],
  [workOf, 22],
  [both, 14],
  [announce, 14],
  [takeOver, 8],
  [jump, 8],
  [pass, 2],
  [read, 12],
  [kill, 1],
  [changePrices, 2],
  [reprice, 3],
  [keepLess, 3],
  [checkAlert, 8],
  [changeWebhook, 4],
  [resend, 4],
  [exportRuns, 4],
  [deleteRun, 1],
  [deleteOther, 1],
  [restAll, 0.5],
];

function drawStep(random: Random): Step {
  let left = random() * weights.reduce((sum, [, weight]) => sum + weight, 0);
  return weights.find(([, weight]) => (left -= weight) < 0)![0];
}

const maxTurns = 14;

/** Takes a step, then lets statements run: none, some, or until few are under way. */
export async function takeStep(world: World, random: Random): Promise<string> {
  await world.revive();
  await world.scheduler.quiet();
  const words = await drawStep(random)(world, random);
  world.scheduler.note(words);
  for (let turns = Math.floor(random() * maxTurns); turns > 0; turns--) await world.scheduler.turn();
  while (world.scheduler.underWay() > maxUnderWay) await world.scheduler.turn();
  return words;
}
