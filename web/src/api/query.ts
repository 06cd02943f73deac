import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from './client.ts';
import type { paths } from './schema.d.ts';

type Route<Path extends keyof paths> = NonNullable<paths[Path]['get']>;

/** What an address answers, without the CSV that some of them can also send. */
export type Body<Path extends keyof paths> =
  Route<Path> extends { responses: { 200: { content: { 'application/json': infer Json } } } } ? Json : never;

export type Asked<Path extends keyof paths> = NonNullable<
  Route<Path> extends { parameters: { query?: infer Query } } ? Query : never
>;

type Params<Path extends keyof paths> = { query?: Asked<Path> } & (Route<Path> extends {
  parameters: { path: infer Names extends object };
}
  ? { path: Names }
  : { path?: undefined });

type Args<Path extends keyof paths> = Params<Path>['path'] extends undefined
  ? [params?: Params<Path>]
  : [params: Params<Path>];

async function read<Path extends keyof paths>(path: Path, params: object | undefined): Promise<Body<Path>> {
  const get = api.GET as (path: Path, init: object) => Promise<{ data?: unknown }>;
  return (await get(path, { params })).data as Body<Path>;
}

function keyOf(
  path: string,
  params: { path?: object | undefined; query?: object | undefined } = {},
): unknown[] {
  return [path, ...Object.values(params.path ?? {}), ...(params.query ? [params.query] : [])];
}

/** The query of an address, for its whole answer. Its key is the address, the names in it, and what is asked. */
export function bodyQuery<Path extends keyof paths>(path: Path, ...[params]: Args<Path>) {
  return queryOptions({ queryKey: keyOf(path, params), queryFn: () => read(path, params) });
}

/** The query of an address, for the data in its answer. */
export function dataQuery<Path extends keyof paths>(path: Path, ...[params]: Args<Path>) {
  return queryOptions({
    queryKey: keyOf(path, params),
    queryFn: async () => ((await read(path, params)) as { data: Answer<Path> }).data,
  });
}

/** Asks again, and shows the previous answer while the next one loads. */
export const everySeconds = (seconds: number) => ({
  refetchInterval: seconds * 1_000,
  placeholderData: keepPreviousData,
});

/** The table that an address answers as CSV. */
export async function readCsv<Path extends keyof paths>(path: Path, query: Asked<Path>): Promise<Blob> {
  const get = api.GET as (path: Path, init: object) => Promise<{ data?: unknown }>;
  const headers = { accept: 'text/csv' };
  return (await get(path, { params: { query }, headers, parseAs: 'blob' })).data as Blob;
}

export type Answer<Path extends keyof paths> = paths[Path] extends {
  get: { responses: { 200: { content: { 'application/json': { data: infer Data } } } } };
}
  ? Data
  : never;

/** The body of a request. */
export type Sent<Path extends keyof paths, Method extends 'post' | 'put' = 'post'> = paths[Path] extends {
  [M in Method]: { requestBody?: { content: { 'application/json': infer Json } } };
}
  ? Json
  : never;
