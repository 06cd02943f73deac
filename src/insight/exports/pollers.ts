import { removeEndedTasks } from '../../platform/work/tasks.ts';
import type { Poller } from '../../platform/work/worker.ts';
import { exportKind, type ExportProgram } from './exportTask.ts';
import { findExportsWithFile, findOutlived, removeLastChunks } from './queries.ts';
import { exportPoller } from './writeExport.ts';

/** Writes exports, a page of rows at a time, and removes their files when their time is over. */
export function exportPollers(program: ExportProgram): Poller[] {
  return [
    exportPoller(program),
    { name: 'prune exports', everyMilliseconds: 60_000, run: () => pruneExports(program) },
    {
      name: 'forget exports',
      everyMilliseconds: 3_600_000,
      run: async () => {
        await forgetExports(program);
        return false;
      },
    },
  ];
}

const exportsATime = 10;
const chunksATime = 200;
const keptDays = 90;

/**
 * Removes the files that nobody can fetch any more, some parts at a time and each file's from its end. Answers whether
 * there may be more.
 */
async function pruneExports({ db, clock }: Pick<ExportProgram, 'db' | 'clock'>): Promise<boolean> {
  const outlived = await findOutlived(db, clock.now(), exportsATime);
  for (const key of outlived) await removeLastChunks(db, key, chunksATime);
  return outlived.length > 0;
}

/** Forgets exports themselves, a while after their files. */
async function forgetExports({ db, clock }: Pick<ExportProgram, 'db' | 'clock'>): Promise<void> {
  const before = new Date(clock.now().getTime() - keptDays * 86_400_000);
  await removeEndedTasks(db, exportKind, { before, except: await findExportsWithFile(db) });
}
