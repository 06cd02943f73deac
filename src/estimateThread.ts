/** The thread of `insight/estimates/threads.ts`. It makes one estimate or patch at a time, and asks for what it needs of the database. */
import { parentPort } from 'node:worker_threads';
import { estimateChange } from './insight/estimates/estimate.ts';
import { patchOf } from './insight/estimates/patch.ts';
import type { Records } from './insight/estimates/records.ts';
import type { FromThread, ToThread } from './insight/estimates/threads.ts';
import { providers as knownProviders } from './intake/providers/providers.ts';
import { createProviders } from './ledger/pricing/provider.ts';
import { InvalidFields, PublicError } from './platform/lib/errors.ts';

const port = parentPort!;
const post = (message: FromThread) => port.postMessage(message);
const providers = createProviders(knownProviders);
const waiting = new Map<number, (value: unknown) => void>();
let reads = 0;

function read<Value>(name: keyof Records, given?: unknown): Promise<Value> {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  waiting.set(++reads, resolve);
  post({ type: 'read', id: reads, name, given });
  return promise as Promise<Value>;
}

const records: Records = {
  history: (of) => read('history', of),
  priceList: () => read('priceList'),
  jobSums: (window) => read('jobSums', window),
  repositoryNames: () => read('repositoryNames'),
  passedRuns: (of) => read('passedRuns', of),
};

type Asked = Exclude<ToThread, { type: 'records' }>;

const answerOf = (asked: Asked) =>
  asked.type === 'patch'
    ? patchOf(asked.fix, asked.files, providers)
    : estimateChange(records, asked.question, { providers, today: asked.today });

async function answer(asked: Asked): Promise<void> {
  try {
    post({ type: 'done', answer: await answerOf(asked) });
  } catch (error) {
    if (!(error instanceof PublicError)) throw error;
    const { kind, code, message, errors } = error;
    const isOfField = error instanceof InvalidFields;
    post({ type: 'refused', error: { kind, code, message, errors, isOfField } });
  }
}

port.on('message', (message: ToThread) => {
  if (message.type !== 'records') return void answer(message);
  waiting.get(message.id)!(message.value);
  waiting.delete(message.id);
});
