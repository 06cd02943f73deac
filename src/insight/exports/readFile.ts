import type { Database } from '../../platform/db/database.ts';
import { findChunk, findChunkAt } from './queries.ts';

/** The bytes of an export's file from `first` to `last`, both included, a part at a time. */
export async function* readFile(
  db: Database,
  key: { orgId: string; id: string },
  { first, last }: { first: number; last: number },
): AsyncGenerator<Buffer> {
  if (last < first) return;
  const number = await findChunkAt(db, key, first);
  for (let next = number, at = first; at <= last; next!++) {
    const chunk = next === undefined ? undefined : await findChunk(db, key, next);
    if (!chunk) throw new Error(`the file of export ${key.id} has been removed`);
    const start = Number(chunk.startByte);
    const bytes = chunk.bytes.subarray(at - start, last - start + 1);
    at += bytes.length;
    yield bytes;
  }
}
