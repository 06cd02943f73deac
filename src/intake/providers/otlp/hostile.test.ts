import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { receivedAt } from '../../../../test/payloads/gitHubReadings.ts';
import { protobufOf, tracesOf, type Resource } from '../../../../test/payloads/otlp.ts';
import {
  actionTrace,
  conventionsTrace,
  firstAttemptTrace,
  gitLabReceiverTrace,
  receiverJob,
  receiverRun,
} from '../../../../test/payloads/otlpExamples.ts';
import type { RunReport } from '../../../ledger/runs/report.ts';
import { PublicError } from '../../../platform/lib/errors.ts';
import { isStorable } from '../../../platform/lib/text.ts';
import { readOtlpJson } from './json.ts';
import { readOtlpProtobuf } from './protobuf.ts';
import { readTraces } from './readTraces.ts';
import { readAttributes } from './spans.ts';

describe('hostile requests', () => {
  const refused = (read: () => unknown, message: RegExp) =>
    assert.throws(
      read,
      (error) => error instanceof PublicError && error.kind === 'invalid' && message.test(error.message),
    );

  test('in JSON are refused with the first field of a wrong type', () => {
    const cases: [unknown, RegExp][] = [
      [[], /the body must be an object/],
      ['x', /the body must be an object/],
      [{ resourceSpans: {} }, /resourceSpans must be an array/],
      [{ resourceSpans: [7] }, /resourceSpans\[0\] must be an object/],
      [{ resourceSpans: [{ resource: { attributes: 'a' } }] }, /resource\.attributes must be an array/],
      [{ resourceSpans: [{ scopeSpans: [{ spans: [[]] }] }] }, /spans\[0\] must be an object/],
      [spanJson({ traceId: 'zz' }), /traceId must be hexadecimal/],
      [spanJson({ spanId: 7 }), /spanId must be text/],
      [spanJson({ startTimeUnixNano: '1e9' }), /startTimeUnixNano must be a whole number/],
      [spanJson({ startTimeUnixNano: -1 }), /startTimeUnixNano must be a whole number/],
      [spanJson({ endTimeUnixNano: '9'.repeat(21) }), /endTimeUnixNano must be a whole number/],
      [spanJson({ status: { code: 'STATUS_CODE_OK' } }), /status\.code must be a number/],
      [spanJson({ attributes: [{ key: 7 }] }), /attributes\[0\]\.key must be text/],
      [spanJson({ attributes: [{ key: 'cicd.pipeline.name', value: 'x' }] }), /value must be an object/],
    ];
    for (const [request, message] of cases)
      refused(() => readOtlpJson(Buffer.from(JSON.stringify(request))), message);
    refused(() => readOtlpJson(Buffer.from('{"resourceSpans":')), /not valid JSON/);
    refused(() => readOtlpJson(Buffer.alloc(0)), /not valid JSON/);
  });

  test('that are deeply nested or have odd types are read without those parts', () => {
    const depth = 100_000;
    const deep = `${'{"arrayValue":{"values":['.repeat(depth)}${']}}'.repeat(depth)}`;
    const body = `{"resourceSpans":[{"scopeSpans":[{"spans":[{"attributes":[{"key":"cicd.pipeline.name","value":${deep}}]}]}]}]}`;
    assert.equal(readOtlpJson(Buffer.from(body))[0]!.spans.length, 1);
    const odd = spanJson({
      attributes: [
        { key: 'cicd.pipeline.name', value: { kvlistValue: { values: [] } } },
        { key: 'cicd.worker.name', value: { bytesValue: 'AA==' } },
        { key: 'cicd.worker.type', value: { stringValue: { a: 1 } } },
        { key: 'cicd.pipeline.run.id' },
      ],
      links: 7,
      events: 'x',
      kind: null,
      startTimeUnixNano: null,
    });
    assert.deepEqual([...readOtlpJson(Buffer.from(JSON.stringify(odd)))[0]!.spans[0]!.attributes], []);
  });

  test('that are deeply nested protobuf are read or refused', () => {
    let value: Buffer = Buffer.alloc(0);
    for (let depth = 0; depth < 2_000; depth += 1) value = field(5, field(1, value));
    const attribute = Buffer.concat([field(1, Buffer.from('cicd.pipeline.name')), field(2, value)]);
    const body = field(1, field(2, field(2, field(9, attribute))));
    assert.equal(readOtlpProtobuf(body)[0]!.spans.length, 1);
    const groups = Buffer.concat([Buffer.alloc(100_000, (15 << 3) | 3)]);
    refused(() => readOtlpProtobuf(groups), /not a valid protobuf message/);
  });

  test('that are cut-off protobuf are read in part or refused', () => {
    const whole = protobufOf(tracesOf([conventionsTrace(), receiverJob(firstAttemptTrace)]));
    for (let length = 0; length < whole.length; length += 1) {
      try {
        readOtlpProtobuf(whole.subarray(0, length));
      } catch (error) {
        assert.ok(error instanceof PublicError, String(error));
      }
    }
  });

  test('with fields longer than their message are refused', () => {
    const next = field(2, field(5, Buffer.from('the next span')));
    const name = Buffer.from([(5 << 3) | 2, next.length]);
    const swallowing = field(1, field(2, Buffer.concat([field(2, name), next])));
    refused(() => readOtlpProtobuf(swallowing), /not a valid protobuf message/);
    refused(() => readOtlpProtobuf(Buffer.from([(1 << 3) | 2, 40])), /not a valid protobuf message/);
  });

  test('of random bytes are read or refused', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.boolean(), (bytes, isWrapped) => {
        const raw = Buffer.from(bytes);
        const body = isWrapped ? field(1, field(2, field(2, raw))) : raw;
        try {
          readTraces(readOtlpProtobuf(body), receivedAt);
        } catch (error) {
          assert.ok(error instanceof PublicError, String(error));
        }
      }),
      { numRuns: 1_000 },
    );
  });

  test('with a million empty spans are refused, in both encodings', () => {
    const million = 1_000_000;
    const spans = Buffer.alloc(2 * million);
    for (let place = 0; place < spans.length; place += 2) spans[place] = (2 << 3) | 2;
    refused(() => readOtlpProtobuf(field(1, field(2, spans))), /at most 50000 spans/);
    const json = `{"resourceSpans":[{"scopeSpans":[{"spans":[${'{},'.repeat(million - 1)}{}]}]}]}`;
    refused(() => readOtlpJson(Buffer.from(json)), /at most 50000 spans/);
  });

  test('with very many attributes keep the needed ones', () => {
    const attributes = Object.fromEntries(
      Array.from({ length: 50_000 }, (_, index) => [`cicd.x.${index}`, 'x']),
    );
    const request = tracesOf([conventionsTrace(attributes)]);
    for (const read of [
      readOtlpProtobuf(protobufOf(request)),
      readOtlpJson(Buffer.from(JSON.stringify(request))),
    ]) {
      assert.equal(read[0]!.spans[0]!.attributes.get('cicd.pipeline.run.id'), 'r-42');
      assert.ok(read[0]!.spans[0]!.attributes.size < 10);
    }
  });

  test('with too many runs and jobs are refused', () => {
    const { spans, ...trace } = conventionsTrace();
    const many = Array.from({ length: 20_001 }, () => ({ ...spans[0]!, parentSpanId: '' }));
    const request = tracesOf([{ ...trace, spans: many }]);
    refused(
      () => readTraces(readOtlpJson(Buffer.from(JSON.stringify(request))), receivedAt),
      /at most 20000 runs/,
    );
  });
});

describe('ids that cannot be stored', () => {
  const readingOf = (resource: Resource) =>
    readTraces(readOtlpJson(Buffer.from(JSON.stringify(tracesOf([resource])))), receivedAt);

  test('reach no report, in any place', () => {
    const traces = [conventionsTrace(), receiverRun(firstAttemptTrace), actionTrace(), gitLabReceiverTrace()];
    for (const bad of ['a\0b', '\0', 'half \ud83d']) {
      for (const { attributes = {}, spans } of traces) {
        const named = spans.map((span) => ({ ...span, name: bad }));
        const hostile = [...readAttributes].flatMap((key): Resource[] => [
          { attributes: { ...attributes, [key]: bad }, spans },
          { attributes: { ...attributes, [key]: ['fine', bad] }, spans },
          { attributes: { ...attributes, [key]: 'fine' }, spans: named },
          {
            attributes,
            spans: spans.map((span) => ({ ...span, attributes: { ...span.attributes, [key]: bad } })),
          },
        ]);
        for (const resource of hostile) {
          const { reports } = readingOf(resource);
          assert.ok(idsIn(reports).every(isStorable), JSON.stringify(resource));
        }
      }
    }
  });

  test("as a run's id reject that span and those that take their run from it", () => {
    const { reports, rejected, reasons } = readingOf(conventionsTrace({ 'cicd.pipeline.run.id': 'r\0' }));
    assert.deepEqual([rejected, reasons.length], [1, 1]);
    assert.match(reasons[0]!, /^cicd\.pipeline\.run\.id must contain neither U\+0000/);
    assert.deepEqual(
      reports.map(({ runId, jobs }) => [runId, jobs.length]),
      [['r-42', 1]],
    );
    const taken = readingOf(
      conventionsTrace({ 'cicd.pipeline.run.id': 'r\0' }, { 'cicd.pipeline.run.id': '' }),
    );
    assert.deepEqual([taken.reports, taken.rejected], [[], 2]);
  });
});

function idsIn(reports: readonly RunReport[]): string[] {
  return reports.flatMap(({ runId, jobs }) => [runId, ...jobs.map(({ jobId }) => jobId)]);
}

test('reads an attribute whose value comes before its key', () => {
  const attribute = Buffer.concat([
    field(2, field(1, Buffer.from('release'))),
    field(1, Buffer.from('cicd.pipeline.name')),
  ]);
  const [resource] = readOtlpProtobuf(field(1, field(2, field(2, field(9, attribute)))));
  assert.deepEqual([...resource!.spans[0]!.attributes], [['cicd.pipeline.name', 'release']]);
});

function spanJson(span: object): object {
  return { resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] };
}

/** A message or text in field `number`. */
function field(number: number, content: Buffer): Buffer {
  const header: number[] = [(number << 3) | 2];
  let length = content.length;
  for (; length > 127; length >>>= 7) header.push((length & 127) | 128);
  header.push(length);
  return Buffer.concat([Buffer.from(header), content]);
}

test('reads 64-bit numbers exactly, also negative ones', () => {
  const ids = ['9223372036854775807', '-9223372036854775808', '4294967296', '-1', '0'];
  const attributes = ids.map((id) => ({ key: 'cicd.pipeline.run.id', value: { intValue: id } }));
  for (const [index, attribute] of attributes.entries()) {
    const request = spanJson({ attributes: [attribute] }) as { resourceSpans: object[] };
    for (const [resource] of [
      readOtlpProtobuf(protobufOf(request)),
      readOtlpJson(Buffer.from(JSON.stringify(request))),
    ]) {
      assert.equal(resource!.spans[0]!.attributes.get('cicd.pipeline.run.id'), ids[index]);
    }
  }
});
