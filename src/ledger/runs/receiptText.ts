import { codeOf, harmless, tableOf } from '../../platform/lib/markdown.ts';
import type { Providers } from '../pricing/provider.ts';
import type { DetailedRun } from './reading.ts';
import { detailedRunView, dollars } from './views.ts';

/** A longer table could exceed the megabyte that GitHub allows for a job summary. */
const maxJobs = 200;

export function receiptText(found: DetailedRun, providers: Providers, publicUrl: string): string {
  const { run, jobs, jobCount } = found;
  const views = detailedRunView(found, providers).jobs.slice(0, maxJobs);
  const rows = views.map(({ name, job_id: id, attempt, receipt }) => [
    codeOf(name ?? id),
    String(attempt),
    harmless(receipt.sentence),
  ]);
  const open = jobs.filter(({ status }) => status !== 'completed').length;
  const hidden = jobCount - views.length;
  return [
    `### Cost of this run so far: ${dollars(run.costNanos)}`,
    ...(open > 0 ? [`${open === 1 ? '1 job has' : `${open} jobs have`} not completed yet.`] : []),
    tableOf(['Job', 'Attempt', 'Cost'], rows),
    ...(hidden > 0 ? [`${hidden} more jobs are on the page of the run.`] : []),
    `[Open in Runcost](${publicUrl}/runs/${encodeURIComponent(run.id)})`,
  ]
    .join('\n\n')
    .concat('\n');
}
