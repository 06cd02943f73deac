import type { paths } from './clientTypes.d.ts';
import { clientVerbs } from './clientVerbs.ts';

/** All responses in the types are successes. */
export type JsonOf<Operation> = Operation extends { responses: infer Answers }
  ? {
      [Status in keyof Answers]: Answers[Status] extends { content: { 'application/json': infer Body } }
        ? Body
        : never;
    }[keyof Answers]
  : never;

type Before<Text, Mark extends string> = Text extends `${infer Start}${Mark}${string}` ? Start : Text;
type PathIn<Request> = Request extends `${string} ${infer Address}`
  ? Before<Before<Address, ' '>, '?'>
  : never;
type OperationOf<Request> =
  PathIn<Request> extends infer Path extends keyof paths
    ? Request extends `${infer Method} ${string}`
      ? paths[Path][Lowercase<Method> & keyof paths[Path]]
      : never
    : never;

type Given<T> = [T] extends [never] ? unknown : T;
type InPath<O> = O extends { parameters: { path: infer Named } } ? Named : unknown;
type InQuery<O> = O extends { parameters: { query?: infer Named } }
  ? Omit<NonNullable<Named>, 'org_id'> & { org_id?: string }
  : unknown;
type InBody<O> = O extends { requestBody?: { content: { 'application/json': infer Named } } }
  ? Given<Named>
  : unknown;
type Flat<T> = { [Name in keyof T]: T[Name] } & {};
type FieldsOf<O> = Flat<InPath<O> & InQuery<O> & InBody<O>>;

/** Without the `data` around it, unless something stands beside `data`. */
type Opened<Body> = Body extends { data: infer Data }
  ? [Exclude<keyof Body, 'data'>] extends [never]
    ? Data
    : Body
  : Body;

type RowsAt<Body, Place> = Place extends `${infer Name}.${infer Rest}`
  ? RowsAt<Body[Name & keyof Body], Rest>
  : Body[Place & keyof Body];
type RowOf<Body, Place> = RowsAt<Body, Place> extends (infer Row)[] ? Row : never;

/** The first page, and all rows of all pages: `for await (const row of list)`. */
type List<Body, Row> = Promise<Body> & AsyncIterable<Row>;

type AnswerTo<Body, Request> = [Body] extends [never]
  ? Promise<string>
  : Request extends `${string} ${string} ${infer Place}`
    ? List<Body, RowOf<Body, Place>>
    : Promise<Body>;

type RequestOptions = { signal?: AbortSignal; headers?: Record<string, string> };

type Call<Request, O = OperationOf<Request>> =
  object extends FieldsOf<O>
    ? (fields?: FieldsOf<O>, options?: RequestOptions) => AnswerTo<Opened<JsonOf<O>>, Request>
    : (fields: FieldsOf<O>, options?: RequestOptions) => AnswerTo<Opened<JsonOf<O>>, Request>;

type CallsOf<Tree> = {
  [Name in keyof Tree]: Tree[Name] extends string ? Call<Tree[Name]> : CallsOf<Tree[Name]>;
};

/** A function for each verb, which takes the fields of its path, query and body in one object. */
export type Calls = CallsOf<typeof clientVerbs>;

type Fields = Record<string, unknown>;
/** Returns the body of the answer. */
type Send = (method: string, path: string, options: object) => Promise<unknown>;
type Server = { send: Send; ownOrganization: () => Promise<string> };
type Verbs = { readonly [name: string]: string | Verbs };

export function createCalls(send: Send): Calls {
  let asked: Promise<string> | undefined;
  const ask = async (): Promise<string> => {
    const session = (await send('get', '/api/v1/session', {})) as { data: { organization: { id: string } } };
    return session.data.organization.id;
  };
  const ownOrganization = (): Promise<string> =>
    (asked ??= ask().catch((error: unknown) => {
      asked = undefined;
      throw error;
    }));
  return callsOf(clientVerbs, { send, ownOrganization }) as Calls;
}

function callsOf(verbs: Verbs, server: Server): object {
  const calls = Object.entries(verbs).map(([name, verb]) => [
    name,
    typeof verb === 'string' ? callOf(verb, server) : callsOf(verb, server),
  ]);
  return Object.fromEntries(calls);
}

function callOf(request: string, { send, ownOrganization }: Server) {
  const [method = '', address = '', rows] = request.split(' ');
  const [path = '', needsOrganization] = address.split('?');
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  const call = async ({ org_id: given, ...fields }: Fields, options: RequestOptions): Promise<unknown> => {
    const orgId = given ?? (needsOrganization && (await ownOrganization()));
    const others = Object.fromEntries(Object.entries(fields).filter(([name]) => !inPath.includes(name)));
    const isSent = method === 'POST' || method === 'PUT';
    const query = { ...(orgId !== undefined && { org_id: orgId }), ...(!isSent && others) };
    const body = { params: { path: fields, query }, ...(isSent && { body: others }) };
    return opened(await send(method, path, { ...options, ...body }));
  };
  return (fields: Fields = {}, options: RequestOptions = {}) => {
    const pageOf = (from: Fields) => call({ ...fields, ...from }, options) as Promise<Page>;
    return rows === undefined ? pageOf({}) : withRows(pageOf, rows);
  };
}

function opened(body: unknown): unknown {
  const isBare = body !== null && typeof body === 'object' && Object.keys(body).join() === 'data';
  return isBare ? (body as { data: unknown }).data : body;
}

type Pagination = { page: number; per_page: number; total: number } | { next_cursor: string | null };
type Page = Fields & { pagination: Pagination };

function withRows(pageOf: (from: Fields) => Promise<Page>, rows: string): List<Page, unknown> {
  const first = pageOf({});
  return Object.assign(first, {
    async *[Symbol.asyncIterator]() {
      for (let page = await first; ;) {
        yield* rowsAt(page, rows);
        const from = followingPage(page.pagination);
        if (!from) return;
        page = await pageOf(from);
      }
    },
  });
}

function rowsAt(page: Fields, path: string): unknown[] {
  return path.split('.').reduce<unknown>((part, name) => (part as Fields)[name], page) as unknown[];
}

function followingPage(pagination: Pagination): Fields | null {
  if ('next_cursor' in pagination)
    return pagination.next_cursor === null ? null : { cursor: pagination.next_cursor };
  const { page, per_page: perPage, total } = pagination;
  return page * perPage < total ? { page: page + 1 } : null;
}
