import type { ExportProgram } from './context.ts';
import { findOutlived, removeLastChunks } from './queries.ts';

const exportsATime = 10;
const chunksATime = 20;

/**
 * Removes the files that nobody can fetch any more, some parts at a time and each file's from its end. Answers whether
 * there may be more.
 */
export async function pruneExports({ db, clock }: Pick<ExportProgram, 'db' | 'clock'>): Promise<boolean> {
  const outlived = await findOutlived(db, clock.now(), exportsATime);
  for (const key of outlived) await removeLastChunks(db, key, chunksATime);
  return outlived.length > 0;
}
