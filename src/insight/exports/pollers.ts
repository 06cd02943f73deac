import type { Job } from '../../platform/work/worker.ts';
import type { ExportProgram } from './context.ts';
import { forgetExports, pruneExports } from './pruneExports.ts';
import { exportJob } from './writeExport.ts';

/** Writes exports, a page of rows at a time, and removes their files when their time is over. */
export function exportJobs(program: ExportProgram): Job[] {
  return [
    exportJob(program),
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
