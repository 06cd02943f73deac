import type { Recorder } from '../../../ledger/runs/recorder.ts';
import type { Clock } from '../../../platform/lib/clock.ts';
import { readOtlpJson } from './json.ts';
import { readOtlpProtobuf } from './protobuf.ts';
import { readTraces } from './readTraces.ts';

export type Encoding = 'json' | 'protobuf';
/** `message` says why spans were rejected; empty where none was. */
export type TracesReception = { rejectedSpans: number; message: string };

/** A sender needs a few reasons to know what to mend, and logs them whole. */
const mostReasons = 5;

/**
 * Records the runs and jobs that the spans of an OTLP request tell of, and answers once they are committed. Spans that
 * cannot be recorded do not keep the others out. Throws `PublicError` for a body that cannot be read.
 */
export async function receiveTraces(
  program: { clock: Clock; recorder: Recorder },
  orgId: string,
  body: Buffer,
  encoding: Encoding,
): Promise<TracesReception> {
  const resources = encoding === 'json' ? readOtlpJson(body) : readOtlpProtobuf(body);
  const now = program.clock.now();
  const { reports, rejected, reasons } = readTraces(resources, now);
  await program.recorder.record(orgId, reports, now);
  const more = reasons.length > mostReasons ? [`${reasons.length - mostReasons} other reasons`] : [];
  return { rejectedSpans: rejected, message: [...reasons.slice(0, mostReasons), ...more].join('; ') };
}
