import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { spec, type TestEvent } from 'node:test/reporters';
import { takeLog } from '../harness/log.ts';
import type { CoveredLines } from './coverage.ts';
import type { FromWorker } from './runFiles.ts';

/** Reports to the runner each start and the result of each file, which is a suite at the top level. */
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  let counts = { passed: 0, failed: 0, skipped: 0 };
  let notes: string[] = [];
  let failed: TestEvent[] = [];
  for await (const event of events) {
    if (event.type === 'test:dequeue') send({ type: 'started', name: event.data.name });
    if (event.type === 'test:diagnostic' && /asynchronous activity/.test(event.data.message)) {
      const lost = { file: 'after a test', passed: 0, failed: 1, skipped: 0, durationMs: 0, failures: '' };
      send({ type: 'result', result: { ...lost, notes: [event.data.message] } });
    }
    if (event.type === 'test:coverage')
      send({ type: 'coverage', files: event.data.summary.files.map(linesOf) });
    if (event.type !== 'test:pass' && event.type !== 'test:fail') continue;
    const outcome = outcomeOf(event);
    if (outcome) counts[outcome]++;
    if (outcome === 'failed') failed.push(event);
    if (outcome === 'skipped') notes.push(`skipped: ${event.data.name}${reasonOf(event)}`);
    if (event.data.nesting > 0) continue;
    if (counts.passed + counts.failed + counts.skipped === 0) {
      counts.failed++;
      notes.push('has no test');
    }
    const log = takeLog();
    if (counts.failed > 0 && log !== '') notes.push(`log of its programs:\n${log}`);
    const failures = failed.length > 0 ? await text(Readable.from(failed).compose(new spec())) : '';
    send({ type: 'result', result: { file: event.data.name, ...counts, durationMs: 0, failures, notes } });
    counts = { passed: 0, failed: 0, skipped: 0 };
    notes = [];
    failed = [];
  }
  yield ''; // Everything is sent.
}

type CoveredFile = Extract<TestEvent, { type: 'test:coverage' }>['data']['summary']['files'][number];

function linesOf({ path, lines }: CoveredFile): CoveredLines {
  return {
    path,
    lines: lines.map(({ line }) => line),
    covered: lines.filter(({ count }) => count > 0).map(({ line }) => line),
  };
}

function send(message: FromWorker): void {
  process.send?.(message);
}

type Ended = Extract<TestEvent, { type: 'test:pass' | 'test:fail' }>;

/** Null for a suite, unless the suite was skipped or one of its hooks failed. */
function outcomeOf({ type, data }: Ended): 'passed' | 'failed' | 'skipped' | null {
  if (data.skip !== undefined || data.todo !== undefined) return 'skipped';
  const isSuite = data.details.type === 'suite';
  if (type === 'test:pass') return isSuite ? null : 'passed';
  const { failureType } = data.details.error as { failureType?: string };
  return isSuite && failureType === 'subtestsFailed' ? null : 'failed';
}

function reasonOf({ data }: Ended): string {
  const reason = [data.skip, data.todo].find((word) => typeof word === 'string' && word !== '');
  return reason ? ` (${reason})` : '';
}
