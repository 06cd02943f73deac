import type { paths } from './schema.d.ts';

export type Answer<Path extends keyof paths> = paths[Path] extends {
  get: { responses: { 200: { content: { 'application/json': { data: infer Data } } } } };
}
  ? Data
  : never;
