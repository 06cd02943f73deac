import type { WorkflowEdit } from '../../ledger/pricing/plan.ts';
import { getWorkflowFile } from '../../ledger/runs/reading.ts';
import { shortRetentionDays } from '../../ledger/storage/sumUp.ts';
import { PublicError } from '../../platform/lib/errors.ts';
import type { Nanos } from '../../platform/lib/money.ts';
import type { FileFix, FixChange } from '../estimates/patch.ts';
import { getStorage, storageFixId } from '../storageCosts/storage.ts';
import type { Evidence } from '../waste/findUnneeded.ts';
import { listFixes } from '../waste/fixesView.ts';
import type { WasteContext } from '../waste/getWaste.ts';
import type { FixKind, Suggestion } from '../waste/suggest.ts';

export type FoundFix = FileFix & {
  id: string;
  category: FixKind | null;
  /** What the pull request's title says. */
  title: string;
  /** In 30 usual days. */
  monthlyNanos: Nanos;
  /** In the last 30 days, including days marked unusual. */
  savingNanos: Nanos;
  /** Null for the categories of waste, and for storage. */
  evidence: Evidence | null;
};

const days = 30;

/** A fix of waste or of storage, as they are suggested now. */
export async function findFix(ctx: WasteContext, id: string): Promise<FoundFix> {
  const found = id.startsWith('sto_') ? await findStorageFix(ctx, id) : await findWasteFix(ctx, id);
  if (found) return found;
  const message = `There is no fix ${id} now. \`waste fixes\` and \`storage list\` show the ids of those that there are.`;
  throw new PublicError('not_found', 'fix_not_found', message);
}

async function findWasteFix(ctx: WasteContext, id: string): Promise<FoundFix | null> {
  const [workflowId = ''] = id.split('.');
  const { fixes } = await listFixes(ctx, { days, workflowId, repo: undefined });
  const fix = fixes.find((each) => each.id === id);
  if (!fix) return null;
  const { repository, name } = fix.workflow;
  const twin = fix.evidence?.twin;
  const twinFile = twin && (await getWorkflowFile(ctx, twin.id));
  const edited = { evidence: fix.evidence, twin: twinFile?.workflowPath ?? twin?.name ?? '' };
  return {
    id,
    repository,
    workflow: await workflowOf(ctx, workflowId, name),
    category: fix.category,
    title: `${titles[fix.suggestions[0]?.action ?? 'merge_short_jobs']} in ${name}`,
    monthlyNanos: fix.monthlyNanos,
    savingNanos: fix.savingNanos,
    evidence: fix.evidence,
    changes: fix.suggestions.map((each) => ({
      text: each.text,
      yaml: each.yaml,
      edit: editOf(each, edited),
    })),
  };
}

const titles: Record<Suggestion['action'], string> = {
  merge_short_jobs: 'Merge short jobs',
  cancel_superseded_runs: 'Cancel superseded runs',
  limit_time: 'Limit the time of jobs',
  fix_failing_jobs: 'Fix failing jobs',
  fix_flaky_jobs: 'Fix flaky jobs',
  rerun_failed_jobs_only: 'Re-run failed jobs only',
  shorten_queue: 'Shorten the queue',
  run_less_often: 'Run less often',
  remove_trigger: 'Remove a trigger',
  remove_duplicate: 'Remove a duplicate',
  skip_documentation: 'Skip changes of documentation',
};

function editOf(
  { action, jobs, limits = [] }: Suggestion,
  { evidence, twin }: Pick<FoundFix, 'evidence'> & { twin: string },
): FixChange['edit'] {
  const [job] = jobs;
  if (action === 'cancel_superseded_runs') return { action, path: '' };
  if (action === 'limit_time' && job !== undefined) return { action, path: '', job, limits };
  if (action === 'skip_documentation') return { action, path: '' };
  if (!evidence) return null;
  const { events, every } = evidence;
  if (action === 'run_less_often' && every) return { action, path: '', every };
  if (action === 'remove_trigger') return { action, path: '', events };
  if (action === 'remove_duplicate') return { action, path: '', events, twin };
  return null;
}

async function workflowOf(ctx: WasteContext, id: string, name: string): Promise<FoundFix['workflow']> {
  const file = await getWorkflowFile(ctx, id);
  return file ? { id, name, provider: file.provider, path: file.workflowPath } : null;
}

async function findStorageFix(ctx: WasteContext, id: string): Promise<FoundFix | null> {
  const { priced } = await getStorage(ctx, {});
  const found = priced.find(({ item, fix }) => fix && storageFixId(item) === id);
  if (!found?.fix) return null;
  const { repository, name, workflow, workflowId } = found.item;
  const { action, text, yaml, savingNanos } = found.fix;
  const edit: WorkflowEdit =
    action === 'shorten_retention' ? { action, path: '', name, days: shortRetentionDays } : { action, name };
  const storageTitles = {
    shorten_retention: `Keep ${name} ${shortRetentionDays} days`,
    cache_default_branch_only: 'Save caches on the default branch only',
    use_a_stable_cache_key: 'Use a stable cache key',
  };
  return {
    id,
    repository,
    workflow: workflowId === '' ? null : await workflowOf(ctx, workflowId, workflow ?? ''),
    category: null,
    title: storageTitles[action],
    monthlyNanos: savingNanos,
    savingNanos,
    evidence: null,
    changes: [{ text, yaml, edit }],
  };
}
