import type {
  FastifyContextConfig,
  FastifyPluginCallback,
  FastifyReply,
  FastifyRequest,
  RouteShorthandOptions,
} from 'fastify';
import type { Static, TSchema } from 'typebox';
import type { Context } from '../../context.ts';
import { createCoalescer, type Coalescer } from '../db/coalesce.ts';
import type { Plan } from '../lib/actor.ts';
import type { DecimalNumber } from '../lib/money.ts';
import type { Access } from './authenticate.ts';
import { cachedRoute, type SendCached } from './cachedAnswers.ts';
import { responsesOrCsv, sendCsv, wantsCsv } from './csv.ts';
import { dataOf, deletedOf, idParams, type ProblemStatus, responses } from './schemas.ts';

export type VerbContext = Context & { plan: Plan };

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';
export type Http = { request: FastifyRequest; reply: FastifyReply };
type Of<T> = T extends TSchema ? Static<T> : undefined;
type Input<P, Q, B> = { params: Of<P>; query: Of<Q>; body: Of<B> };
type Answer<A extends TSchema, O> = Static<A> | (O extends TSchema ? Static<O> : never);
type File = { name: string; text: string };

/** A row of a list: an element of the answer, or of one of its lists, also below `data`. */
type RowOf<T> = T extends readonly (infer R)[]
  ? R
  : T extends object
    ? {
        [K in keyof T]: T[K] extends readonly (infer R)[] ? R : K extends 'data' ? RowOf<T[K]> : never;
      }[keyof T]
    : never;
type Simple = string | number | boolean | Date | DecimalNumber | readonly unknown[];
type PathOf<R> = R extends object
  ? {
      [K in keyof R & string]:
        | K
        | (NonNullable<R[K]> extends Simple ? never : `${K}.${keyof NonNullable<R[K]> & string}`);
    }[keyof R & string]
  : never;
/** A field of a row, and its heading where the name of the field would not do. */
type Column<Path extends string> = Path | readonly [Path, heading: string];

/** What an operation is. Its HTTP route and its place in OpenAPI are made from it. */
type Declaration<C, P, Q, B, A extends TSchema, O> = {
  /** Nouns and a verb, such as `webhook delivery list`. OpenAPI's id is `webhook_delivery_list`. */
  name: string;
  at: `${Method} /${string}`;
  access: Access;
  /** Whether browsers store no answer, not even a fault. */
  isNeverStored?: true;
  /** The title of its part of the reference. */
  tag: string;
  title: string;
  description?: string;
  /** The page that shows or does the same, such as `/alerts/:id`. `--web` opens it, and the palette lists what creates. */
  page?: string;
  params?: P;
  query?: Q;
  body?: B;
  /** Whether a request without a body counts as one with `{}`. */
  bodyIsOptional?: true;
  /** 200 by default. */
  status?: 200 | 201 | 202;
  /** The shape of the answer, which comes as `{ data }`, or as it is if `isWhole`. */
  answer: A;
  isWhole?: true;
  /** The shape of answers for which `run` sets the status 200. */
  otherAnswer?: O;
  /** Statuses of faults, besides those that every operation has. */
  faults?: readonly ProblemStatus[];
  /** For an answer that is a text rather than JSON: what it is, and the name of the file that browsers save. */
  text?: { title: string; contentType: string; file?: string };
  /** The same answer for `Accept: text/csv`, with a name without the extension, and an example of its first line. */
  csv?: { title: string; example: string; file: (ctx: C, input: Input<P, Q, B>) => Promise<File> };
  /** Whether AI assistants get it as a tool. For verbs that read only and help to answer a question about costs. */
  assistant?: true;
  /** Where a list has its rows, such as `data.fixes`, if not in the first list of the answer. */
  rows?: string;
  /** What the command line shows of a list, from left to right. */
  columns?: readonly Column<PathOf<RowOf<Static<A>>>>[];
  /** Whether answers, or those to some input, depend only on the costs, the plan, the day and the URL. */
  isCached?: true | ((input: Input<P, Q, B>) => boolean);
  /** Whether equal requests that come at once share one answer. */
  isShared?: true;
  maxBodyBytes?: number;
  /** What else the HTTP layer needs to know of the route. */
  config?: FastifyContextConfig;
  run: (ctx: C, input: Input<P, Q, B>, http: Http) => Answer<A, O> | Promise<Answer<A, O>>;
};

export type Verb<C = VerbContext> = Omit<
  Declaration<C, TSchema, TSchema, TSchema, TSchema, TSchema>,
  'run' | 'csv' | 'isCached' | 'params' | 'query' | 'body' | 'columns'
> & {
  columns?: readonly Column<string>[];
  params?: TSchema;
  query?: TSchema;
  body?: TSchema;
  csv?: { title: string; example: string; file: (ctx: C, input: never) => Promise<File> };
  isCached?: true | ((input: never) => boolean);
  run: (ctx: C, input: never, http: Http) => unknown;
};

/** Declares operations that get a context of type `C`. */
export function verbsWith<C>() {
  return <
    A extends TSchema,
    P extends TSchema | undefined = undefined,
    Q extends TSchema | undefined = undefined,
    B extends TSchema | undefined = undefined,
    O extends TSchema | undefined = undefined,
  >(
    declaration: Declaration<C, P, Q, B, A, O>,
  ): Verb<C> => declaration as never;
}

export const verb = verbsWith<VerbContext>();

/** What verbs that delete a thing by its id have in common. */
export function deletes<C>(sampleId: string, remove: (ctx: C, id: string) => Promise<unknown>) {
  return {
    params: idParams(sampleId),
    answer: deletedOf(sampleId),
    run: async (ctx: C, { params: { id } }: { params: { id: string } }) => {
      await remove(ctx, id);
      return { id, deleted: true as const };
    },
  };
}

type AllOf<Part> = (Part extends unknown ? (part: Part) => void : never) extends (all: infer All) => void
  ? All
  : never;

/** Makes one program of parts. Two things of one name would hide one of them, so they are refused. */
export function joinPrograms<Parts extends object[]>(...parts: Parts): AllOf<Parts[number]> {
  const names = parts.flatMap(Object.keys);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) throw new Error(`two parts of the program have a ${twice}`);
  return Object.assign({}, ...parts) as AllOf<Parts[number]>;
}

/** The routes of operations. `program` is what their context has beside that of every request. */
export function routesOf<More extends object>(
  verbs: readonly Verb<VerbContext & More>[],
  { program, sendCached }: { program?: More; sendCached?: SendCached } = {},
): FastifyPluginCallback {
  const coalesce = createCoalescer<unknown>();
  return (server, _options, done) => {
    for (const each of verbs) {
      const [method, url] = each.at.split(' ') as [Method, string];
      const handler = handlerOf(each, program, { sendCached, coalesce });
      server.route({ method, url, ...optionsOf(each), handler });
    }
    done();
  };
}

function optionsOf(declared: Verb<never>): RouteShorthandOptions {
  const { access, config, params, query, body, isCached, maxBodyBytes } = declared;
  return {
    config: { ...config, access, ...(isCached && !declared.csv && { cached: true }) },
    ...(isCached && !declared.csv && cachedRoute),
    ...(maxBodyBytes && { bodyLimit: maxBodyBytes }),
    ...(declared.bodyIsOptional && { preValidation: takeNoBodyAsEmpty }),
    ...(declared.isNeverStored && { onSend: forbidStoring }),
    schema: {
      operationId: declared.name.replaceAll(' ', '_'),
      tags: [declared.tag],
      summary: declared.title,
      ...(declared.description && { description: declared.description }),
      ...(access === 'public' && { security: [] }),
      ...(params && { params }),
      ...(query && { querystring: query }),
      ...(body && { body }),
      response: answersOf(declared),
    },
  };
}

function answersOf({ status = 200, answer, isWhole, otherAnswer, text, csv, faults }: Verb<never>) {
  if (text) {
    const content = { [text.contentType.split(';')[0]!]: { schema: answer } };
    return { ...responses(200, answer, faults), 200: { description: text.title, content } };
  }
  const schema = isWhole ? answer : dataOf(answer);
  if (csv) return responsesOrCsv(csv.title, schema, csv.example, faults);
  return { ...responses(status, schema, faults), ...(otherAnswer && { 200: dataOf(otherAnswer) }) };
}

function takeNoBodyAsEmpty(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  request.body ??= {};
  done();
}

function forbidStoring(
  _request: FastifyRequest,
  reply: FastifyReply,
  _payload: unknown,
  done: () => void,
): void {
  reply.header('cache-control', 'no-store');
  done();
}

function handlerOf<More extends object>(
  { status = 200, isWhole, isCached, isShared, text, csv, run }: Verb<VerbContext & More>,
  program: More | undefined,
  { sendCached, coalesce }: { sendCached: SendCached | undefined; coalesce: Coalescer<unknown> },
) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const ctx = { ...program, ...request.ctx } as VerbContext & More;
    const input = request as never;
    if (csv && wantsCsv(request, reply)) {
      const file = await csv.file(ctx, input);
      return sendCsv(reply, file.name, file.text);
    }
    const answer = async () => {
      const answered = await run(ctx, input, { request, reply });
      if (text) return sendText(reply, text, answered as string);
      return isWhole ? answered : { data: answered };
    };
    if (isCached === true || isCached?.(input)) return sendCached!({ request, reply }, answer);
    reply.status(status);
    if (isShared) return coalesce(`${ctx.actor.orgId} ${ctx.plan} ${request.url}`, answer);
    return answer();
  };
}

function sendText(
  reply: FastifyReply,
  { contentType, file }: { contentType: string; file?: string },
  text: string,
): FastifyReply {
  if (file) reply.header('content-disposition', `attachment; filename="runcost-${file}"`);
  return reply.type(contentType).send(text);
}
