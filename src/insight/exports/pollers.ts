import type { Poller } from '../../platform/work/worker.ts';
import type { ExportProgram } from './context.ts';
import { forgetExports, pruneExports } from './pruneExports.ts';
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
