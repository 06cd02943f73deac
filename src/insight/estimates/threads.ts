import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { PlanFile } from '../../ledger/pricing/plan.ts';
import { dayOf, type Day } from '../../platform/lib/days.ts';
import { invalid, PublicError, TooManyRequests } from '../../platform/lib/errors.ts';
import type { Estimate, EstimateQuestion } from './estimate.ts';
import type { HistoryContext } from './history.ts';
import type { FileFix, Patch } from './patch.ts';
import { recordsOf, type Records } from './records.ts';

export type ToThread =
  | { type: 'estimate'; question: EstimateQuestion; today: Day }
  | { type: 'patch'; fix: FileFix; files: readonly PlanFile[] }
  | { type: 'records'; id: number; value: unknown };

export type FromThread =
  | { type: 'read'; id: number; name: keyof Records; given: unknown }
  | { type: 'done'; answer: Estimate | Patch }
  | { type: 'refused'; error: RefusedError };

type RefusedError = Pick<PublicError, 'kind' | 'code' | 'message' | 'errors'> & { isOfField: boolean };

/** A patient caller, such as background work, waits as long as it takes. */
type Options = { signal?: AbortSignal; isPatient?: boolean };

export type EstimateThreads = {
  estimate: (ctx: HistoryContext, question: EstimateQuestion, options?: Options) => Promise<Estimate>;
  patch: (
    ctx: HistoryContext,
    of: { fix: FileFix; files: readonly PlanFile[] },
    options?: Options,
  ) => Promise<Patch>;
  close: () => Promise<void>;
};

export const maxSeconds = 30;
export const maxWaitSeconds = 30;
/** Of one organization, besides the one that runs. */
export const maxWaiting = 4;
/** More than one, so that large files of one organization do not hold up all others. */
const maxThreads = Math.max(2, Math.min(4, availableParallelism() - 1));
/** Of the files of a revision. Hostile files of this size take about as long as an estimate may. */
const maxMebibytes = 2;
export const maxSizeText = `${maxMebibytes} MiB together`;
const maxOldGenerationSizeMb = 512;
const idleMilliseconds = 60_000;

type Limits = { seconds: number; waitSeconds: number };

type Job = {
  orgId: string;
  records: Records;
  message: ToThread;
  resolve: (answer: unknown) => void;
  reject: (error: unknown) => void;
  /** Ends the job before it has an answer. */
  stop: (error: unknown) => void;
};

/** In threads, one at a time for each organization, because files of strangers can take seconds. */
export function createEstimateThreads(
  file: URL,
  limits: Limits = { seconds: maxSeconds, waitSeconds: maxWaitSeconds },
): EstimateThreads {
  const waiting: Job[] = [];
  const running = new Map<string, Job>();
  const workers = createWorkers(file);

  function startNext(): void {
    const job = running.size < maxThreads ? waiting.find(({ orgId }) => !running.has(orgId)) : undefined;
    if (!job) return;
    waiting.splice(waiting.indexOf(job), 1);
    running.set(job.orgId, job);
    void work(job).finally(() => {
      running.delete(job.orgId);
      startNext();
    });
  }

  /** Ends when the thread is free or has stopped. */
  async function work(job: Job): Promise<void> {
    const worker = workers.take();
    if (await run(job, worker, limits.seconds)) workers.keep(worker);
    else await worker.terminate();
  }

  function add(job: Job, { signal, isPatient = false }: Options): void {
    const ofOrganization = waiting.filter(({ orgId }) => orgId === job.orgId).length;
    if (!isPatient && ofOrganization >= maxWaiting)
      throw busy(`${1 + ofOrganization} estimates of the organization`);
    job.stop = (error) => {
      const index = waiting.indexOf(job);
      if (index === -1) return;
      waiting.splice(index, 1);
      job.reject(error);
    };
    waiting.push(job);
    if (!isPatient)
      setTimeout(
        () => waiting.includes(job) && job.stop(busy('Earlier estimates')),
        limits.waitSeconds * 1_000,
      ).unref();
    const leave = () => job.stop(new PublicError('unavailable', 'caller_left', 'The caller has left.'));
    if (signal?.aborted) leave();
    signal?.addEventListener('abort', leave, { once: true });
    startNext();
  }

  function ask<Answer>(ctx: HistoryContext, message: ToThread, options: Options): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const job = { records: recordsOf(ctx), message, resolve, reject, stop: reject };
    add({ orgId: ctx.actor.orgId, ...job }, options);
    return promise as Promise<Answer>;
  }

  return {
    estimate: async (ctx, question, options = {}) => {
      requireSize(question);
      return ask(ctx, { type: 'estimate', question, today: dayOf(ctx.clock.now()) }, options);
    },
    patch: async (ctx, of, options = {}) => ask(ctx, { type: 'patch', ...of }, options),
    close: async () => {
      const closed = new PublicError('unavailable', 'stopping', 'The server stops.');
      for (const job of [...waiting, ...running.values()]) job.stop(closed);
      await workers.close();
    },
  };
}

/** Keeps idle threads for a minute, because a start takes a fraction of a second. */
function createWorkers(file: URL) {
  const idle = new Map<Worker, NodeJS.Timeout>();
  return {
    take: (): Worker => {
      const [known] = idle;
      if (!known) {
        const started = new Worker(file, { resourceLimits: { maxOldGenerationSizeMb } });
        // The job's own listeners report a crash.
        return started.on('error', () => {}).on('exit', () => idle.delete(started));
      }
      const [worker, timer] = known;
      clearTimeout(timer);
      idle.delete(worker);
      return worker;
    },
    keep: (worker: Worker): void => {
      worker.unref();
      idle.set(worker, setTimeout(() => void worker.terminate(), idleMilliseconds).unref());
    },
    close: () => Promise.all([...idle.keys()].map((worker) => worker.terminate())),
  };
}

/** Whether the thread can take another job. */
async function run(job: Job, worker: Worker, seconds: number): Promise<boolean> {
  const { promise: ended, resolve: end } = Promise.withResolvers<boolean>();
  const fail = (error: unknown) => {
    job.reject(error);
    end(false);
  };
  const post = (message: ToThread) => worker.postMessage(message);
  const listen = (message: FromThread) => {
    if (message.type === 'read') {
      const { id, name, given } = message;
      const read = job.records[name] as (given: unknown) => Promise<unknown>;
      read(given)
        .then((value) => post({ type: 'records', id, value }))
        .catch(fail);
      return;
    }
    if (message.type === 'done') job.resolve(message.answer);
    else job.reject(errorOf(message.error));
    end(true);
  };
  const crash = (error: NodeJS.ErrnoException) =>
    fail(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooLarge('takes too much memory') : error);
  const exit = () => fail(new Error('a thread for workflow files ended'));
  const late = setTimeout(() => fail(tooLarge(`takes more than ${seconds} seconds`)), seconds * 1_000);
  job.stop = fail;
  worker.on('message', listen).on('error', crash).on('exit', exit).ref();
  post(job.message);
  const isFree = await ended;
  clearTimeout(late);
  worker.off('message', listen).off('error', crash).off('exit', exit);
  return isFree;
}

function errorOf({ kind, code, message, errors, isOfField }: RefusedError): PublicError {
  const [fault] = errors;
  if (isOfField && fault) return invalid(fault.path, fault.message);
  return new PublicError(kind, code, message, errors);
}

function requireSize(question: EstimateQuestion): void {
  for (const side of ['base', 'head'] as const) {
    const characters = question[side].files.reduce((sum, { content }) => sum + content.length, 0);
    if (characters > maxMebibytes * 1024 * 1024)
      throw invalid(`${side}.files`, `must have at most ${maxSizeText}`);
  }
}

const retrySeconds = 10;

function busy(others: string): PublicError {
  return new TooManyRequests(`${others} are not done yet. Wait ${retrySeconds} seconds.`, retrySeconds);
}

function tooLarge(reason: string): PublicError {
  return new PublicError(
    'invalid',
    'estimate_too_large',
    `Reading the workflow files ${reason}. Send fewer or smaller ones.`,
  );
}
