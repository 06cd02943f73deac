import { removeEndedTasks } from '../../platform/work/tasks.ts';
import type { ExportProgram } from './context.ts';
import { exportKind } from './exportTask.ts';
import { findExportsWithFile, findOutlived, removeLastChunks } from './queries.ts';

const exportsATime = 10;
const chunksATime = 200;
const keptDays = 90;

/**
 * Removes the files that nobody can fetch any more, some parts at a time and each file's from its end. Answers whether
 * there may be more.
 */
export async function pruneExports({ db, clock }: Pick<ExportProgram, 'db' | 'clock'>): Promise<boolean> {
  const outlived = await findOutlived(db, clock.now(), exportsATime);
  for (const key of outlived) await removeLastChunks(db, key, chunksATime);
  return outlived.length > 0;
}

/** Forgets exports themselves, a while after their files. */
export async function forgetExports({ db, clock }: Pick<ExportProgram, 'db' | 'clock'>): Promise<void> {
  const before = new Date(clock.now().getTime() - keptDays * 86_400_000);
  await removeEndedTasks(db, exportKind, { before, except: await findExportsWithFile(db) });
}
