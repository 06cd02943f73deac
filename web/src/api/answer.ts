import type { paths } from './schema.d.ts';

/** What `GET` of a path answers as its `data`. */
export type Answer<Path extends keyof paths> = paths[Path] extends {
  get: { responses: { 200: { content: { 'application/json': { data: infer Data } } } } };
}
  ? Data
  : never;
