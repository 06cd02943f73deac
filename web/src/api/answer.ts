import type { paths } from './schema.d.ts';

export type Answer<Path extends keyof paths> = paths[Path] extends {
  get: { responses: { 200: { content: { 'application/json': { data: infer Data } } } } };
}
  ? Data
  : never;

/** The body of a request. */
export type Sent<Path extends keyof paths, Method extends 'post' | 'put' = 'post'> = paths[Path] extends {
  [M in Method]: { requestBody?: { content: { 'application/json': infer Body } } };
}
  ? Body
  : never;
