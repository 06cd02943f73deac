import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import type * as OpenTelemetryApi from '@opentelemetry/api';
import type { Attributes, Context, Span, SpanKind, Tracer } from '@opentelemetry/api';
import type * as OpenTelemetrySdk from '@opentelemetry/sdk-trace';
import type { Sampler } from '@opentelemetry/sdk-trace';
import { onOrOff, wholeNumber } from '../lib/settingTexts.ts';

/** Settings that the OpenTelemetry packages do not read from the environment themselves. */
export type TracingSettings = {
  sampler: (typeof samplers)[number];
  /** From 0 to 1, for samplers by ratio. */
  ratio: number;
  queue: { maxQueueSize: number; maxExportBatchSize: number; scheduledDelayMillis: number };
};

const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

type SpanOptions = {
  kind?: keyof typeof SpanKind;
  attributes?: Attributes;
  /** The enclosing span by default. Set it for work that several callers share. */
  parent?: SpanPlace | null;
  links?: readonly (SpanPlace | null)[];
};

/** A position in a trace. */
export type SpanPlace = { context: Context };

type OpenSpan = Pick<Span, 'setAttributes' | 'updateName'>;

export type Tracing = {
  /** Runs work in a span, and marks the span as failed if it throws. */
  inSpan: <T>(name: string, options: SpanOptions, work: (span: OpenSpan) => Promise<T>) => Promise<T>;
  /** Starts the span of an HTTP request, below the caller's `traceparent`. Null without tracing. */
  startRequest: ((headers: Headers, name: string) => RequestSpan) | null;
  here: () => SpanPlace | null;
  close: () => Promise<void>;
};

type Headers = Record<string, string | string[] | undefined>;

export type RequestSpan = {
  run: (work: () => void) => void;
  end: (name: string, attributes: Attributes, isFailed: boolean) => void;
};

const silentSpan = { setAttributes: () => silentSpan, updateName: () => silentSpan } as unknown as OpenSpan;

export const noTracing: Tracing = {
  inSpan: (_name, _options, work) => work(silentSpan),
  startRequest: null,
  here: () => null,
  close: async () => {},
};

const maxCloseMilliseconds = 2_000;

/** Loads OpenTelemetry only if it is configured. */
export async function openTracing(settings: TracingSettings | null): Promise<Tracing> {
  if (!settings) return noTracing;
  const [api, sdk, { OTLPTraceExporter }, resources, core] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/exporter-trace-otlp-proto'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/core'),
  ]);
  const detectors = [resources.resourceAttributesEnvDetector, resources.serviceNameEnvDetector];
  const resource = resources
    .resourceFromAttributes({ 'service.name': 'runcost' })
    .merge(resources.detectResources({ detectors }));
  const provider = new sdk.TracerProvider({
    resource,
    sampler: samplerOf(sdk, settings),
    spanProcessors: [
      // The exporter reads address, headers and certificates from OTEL_EXPORTER_OTLP_….
      new sdk.BatchSpanProcessor({ ...settings.queue, exporter: new OTLPTraceExporter() }),
    ],
  });
  const propagator = new core.W3CTraceContextPropagator();
  return {
    ...createSpans(api, provider.getTracer('runcost'), (headers) =>
      propagator.extract(api.ROOT_CONTEXT, headers, api.defaultTextMapGetter),
    ),
    // If no collector answers, the shutdown would try for ten seconds.
    close: () =>
      Promise.race([
        provider.shutdown().catch(() => {}),
        delay(maxCloseMilliseconds, undefined, { ref: false }),
      ]),
  };
}

type Api = typeof OpenTelemetryApi;

function createSpans(
  api: Api,
  tracer: Tracer,
  extract: (headers: Headers) => Context,
): Omit<Tracing, 'close'> {
  const { SpanKind: kinds, SpanStatusCode, trace } = api;
  // Not the package's own storage, because the whole process shares that one.
  const places = new AsyncLocalStorage<Context>();
  const contextOf = (parent: SpanPlace | null | undefined) =>
    (parent === undefined ? places.getStore() : parent?.context) ?? api.ROOT_CONTEXT;

  return {
    inSpan: async (name, { kind = 'INTERNAL', attributes = {}, parent, links = [] }, work) => {
      const context = contextOf(parent);
      const linked = links.flatMap((place) => (place ? (trace.getSpanContext(place.context) ?? []) : []));
      const options = { kind: kinds[kind], attributes, links: linked.map((each) => ({ context: each })) };
      const span = tracer.startSpan(name, options, context);
      try {
        return await places.run(trace.setSpan(context, span), () => work(span));
      } catch (error) {
        // Only the class, because messages can contain names and addresses of organizations.
        span.setAttributes({ 'error.type': (error as Error).name });
        span.setStatus({ code: SpanStatusCode.ERROR });
        throw error;
      } finally {
        span.end();
      }
    },
    startRequest: (headers, name) => {
      const parent = extract(headers);
      const span = tracer.startSpan(name, { kind: kinds.SERVER }, parent);
      const context = trace.setSpan(parent, span);
      return {
        run: (work) => places.run(context, work),
        end: (finalName, attributes, isFailed) => {
          span.updateName(finalName);
          span.setAttributes(attributes);
          if (isFailed) span.setStatus({ code: SpanStatusCode.ERROR });
          span.end();
        },
      };
    },
    here: () => {
      const context = places.getStore();
      return context ? { context } : null;
    },
  };
}

type Sdk = typeof OpenTelemetrySdk;

function samplerOf(sdk: Sdk, { sampler, ratio }: TracingSettings): Sampler {
  const always = new sdk.AlwaysOnSampler();
  const never = new sdk.AlwaysOffSampler();
  const some = new sdk.TraceIdRatioBasedSampler(ratio);
  const below = (root: Sampler) => new sdk.ParentBasedSampler({ root });
  return {
    always_on: always,
    always_off: never,
    traceidratio: some,
    parentbased_always_on: below(always),
    parentbased_always_off: below(never),
    parentbased_traceidratio: below(some),
  }[sampler];
}

type Read = <T>(name: string, fallback: T, parse: (text: string) => T | null, expected: string) => T;

/** https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/ Null without a collector. */
export function readTracingSettings(read: Read): TracingSettings | null {
  const address = (name: string) =>
    read<string | null>(
      name,
      null,
      (text) => (/^https?:\/\/./.test(text) ? text : null),
      'an http:// or https:// address',
    );
  const endpoint = address('OTEL_EXPORTER_OTLP_ENDPOINT');
  const tracesEndpoint = address('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT');
  const isDisabled = read('OTEL_SDK_DISABLED', false, onOrOff, 'true or false');
  if (isDisabled || (endpoint ?? tracesEndpoint) === null) return null;
  const exporter = read('OTEL_TRACES_EXPORTER', 'otlp', oneOf(['otlp', 'none']), 'otlp or none');
  const protocols = ['OTEL_EXPORTER_OTLP_PROTOCOL', 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'];
  for (const name of protocols) read(name, 'http/protobuf', oneOf(['http/protobuf']), 'http/protobuf');
  const sampler = read(
    'OTEL_TRACES_SAMPLER',
    'parentbased_always_on',
    oneOf(samplers),
    `one of ${samplers.join(', ')}`,
  );
  const ratio = read('OTEL_TRACES_SAMPLER_ARG', 1, fraction, 'a number from 0 to 1');
  const count = (name: string, fallback: number) =>
    read(name, fallback, (text) => wholeNumber(text, 1e6), 'a whole number');
  const maxQueueSize = count('OTEL_BSP_MAX_QUEUE_SIZE', 2_048);
  const queue = {
    maxQueueSize,
    maxExportBatchSize: Math.min(count('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', 512), maxQueueSize),
    scheduledDelayMillis: count('OTEL_BSP_SCHEDULE_DELAY', 5_000),
  };
  return exporter === 'none' ? null : { sampler, ratio, queue };
}

function oneOf<Word extends string>(words: readonly Word[]): (text: string) => Word | null {
  return (text) => words.find((word) => word === text) ?? null;
}

function fraction(text: string): number | null {
  const number = Number(text);
  return number >= 0 && number <= 1 ? number : null;
}
