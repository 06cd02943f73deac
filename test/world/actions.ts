import { dayOf } from '../../src/platform/lib/days.ts';
import type { Random } from '../../src/platform/lib/random.ts';
import type { Process } from './processes.ts';
import type { Report, Run } from './reports.ts';
import type { World } from './world.ts';

/** Begins something. The scheduler lets it go on between later steps. Returns what it did, in words. */
export type Step = (world: World, random: Random) => Promise<string> | string;

export const oneOf = <Item>(random: Random, items: readonly Item[]): Item =>
  items[Math.floor(random() * items.length)]!;

/** Sends a report until somebody knows what came of it; another sender may send it again later. */
export async function sendReport(world: World, process: Process, report: Report): Promise<void> {
  const { run, jobs, lastEnd, sent } = report;
  const wasRemoved = await world.isRemoved(run);
  const at = new Date(world.now().getTime() + 1);
  world.unacknowledged.push(report);
  world.reportsUnderWay++;
  if (world.reportsUnderWay > 1) world.sometimes('reports came at the same time');
  world.beginReport(process, async () => {
    const answer = await world.ask(process, sent).finally(() => world.reportsUnderWay--);
    if (!answer || answer.status >= 500) {
      // If it was removed since, nobody knows whether it had been recorded.
      if (world.mayBeRemoved(run) && !wasRemoved) world.isAmbiguous = true;
      return;
    }
    world.unacknowledged.splice(world.unacknowledged.indexOf(report), 1);
    if (wasRemoved) return readRemoved(world, process, run);
    const isRejected = answer.status === 400 || answer.body?.data?.rejected > 0;
    if (isRejected && world.mayBeRemoved(run)) return;
    if (isRejected || answer.status >= 400) throw new Error(`${sent.path}: ${answer.status} ${answer.text}`);
    // GitHub does not hear that a run was refused.
    if (run.isGitHub && world.mayBeRemoved(run)) world.isAmbiguous = true;
    const body: unknown = run.isGitHub ? JSON.parse(sent.body as string) : sent.body;
    world.history.push({ at, ...sent, body, answer, run });
    if (world.isRepricing) world.sometimes('a report came during a reprice');
    const known = world.acknowledged.get(run) ?? new Set();
    if (!world.acknowledged.has(run) && world.deleted.has(run))
      world.sometimes('a deleted run was reported again');
    world.acknowledged.set(run, known);
    for (const job of jobs) known.add(job);
    if (lastEnd && dayOf(lastEnd) < dayOf(world.now()))
      world.sometimes('a job of an earlier day was reported');
  });
}

/** What was reported of a removed run does not bring it back. */
async function readRemoved(world: World, process: Process, { id }: Run): Promise<void> {
  world.sometimes('a removed run was reported again');
  const answer = await world.ask(process, { method: 'GET', path: `/api/v1/runs/${id}` });
  if (answer && answer.status < 404) world.problems.push(`${id} was removed, and answers ${answer.status}`);
}

/** Each poller runs until it finds nothing more, as in a worker. */
const maxPieces = 20;

/** One poller after the other, without those that run. */
export function work(world: World, process: Process, ...names: string[]): void {
  world.begin(process, () => doWork(process, ...names));
}

export async function doWork({ running, place, pollers }: Process, ...names: string[]): Promise<void> {
  const never = new AbortController().signal;
  for (const name of names) {
    if (running.has(name)) continue;
    running.add(name);
    try {
      for (let pieces = 0; pieces < maxPieces && !place.isDead; pieces++)
        if (!(await pollers.get(name)!.run(never))) break;
    } catch (error) {
      if (!isOfFault(error)) throw error;
    } finally {
      running.delete(name);
    }
  }
}

/** The worker tries again after it lost its connection. Other failures must not be. */
function isOfFault(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.every(isOfFault);
  const { message, cause } = error as Error;
  return (
    /Connection terminated|not queryable|connection error|trying to connect/i.test(message) ||
    (cause !== undefined && isOfFault(cause))
  );
}
