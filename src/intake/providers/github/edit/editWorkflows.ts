import type { EditedFiles, PlanFile, WorkflowEdit } from '../../../../ledger/pricing/plan.ts';
import { mapOf, readYaml } from '../../readYaml.ts';
import { readGitHubWorkflows } from '../plan/readWorkflows.ts';
import { cancelSuperseded } from './cancelSuperseded.ts';
import { changeEvents } from './events.ts';
import { lineOf, setValues, type Planned } from './setValues.ts';
import { cacheDefaultBranchOnly, shortenRetention, useStableKey } from './steps.ts';

export async function editGitHubWorkflows(
  files: readonly PlanFile[],
  edit: WorkflowEdit,
  { repository }: { repository: string },
): Promise<EditedFiles> {
  if (!('path' in edit)) return editedCaches(files, edit);
  const file = files.find(({ path }) => path === edit.path);
  if (!file)
    return { files: [], faults: [{ path: edit.path, line: null, reason: 'The file does not exist.' }] };
  return edited(file, await plannedFor(file, edit, { files, repository }));
}

type EditOfFile = Extract<WorkflowEdit, { path: string }>;

async function plannedFor(
  file: PlanFile,
  edit: EditOfFile,
  all: { files: readonly PlanFile[]; repository: string },
): Promise<Planned> {
  switch (edit.action) {
    case 'cancel_superseded_runs':
      return cancelSuperseded(file, all.files);
    case 'limit_time':
      return limitTime(file, edit, all);
    case 'shorten_retention':
      return shortenRetention(file, edit);
    case 'run_less_often':
    case 'remove_trigger':
    case 'remove_duplicate':
    case 'skip_documentation':
      return changeEvents(file, edit, all.files);
  }
}

/** GitHub does not say which workflow saves a cache, so any file may. */
function editedCaches(
  files: readonly PlanFile[],
  { action, name }: Exclude<WorkflowEdit, EditOfFile>,
): EditedFiles {
  const plan = action === 'use_a_stable_cache_key' ? useStableKey : cacheDefaultBranchOnly;
  const found: EditedFiles = { files: [], faults: [] };
  for (const file of files) {
    const own = edited(file, plan(file, name));
    found.files.push(...own.files);
    found.faults.push(...own.faults);
  }
  if (found.files.length > 0 || found.faults.length > 0) return found;
  const reason = `No step of these files saves a cache with a key like ${name}. An action such as setup-node may save it.`;
  return { files: [], faults: [{ path: null, line: null, reason }] };
}

const maxRefusals = 20;

function edited({ path, content }: PlanFile, { settings, refusals }: Planned): EditedFiles {
  const done = settings.length === 0 ? null : setValues(content, settings);
  const left = done && 'reason' in done ? [...refusals, done] : refusals;
  return {
    files: done && 'text' in done ? [{ path, content: done.text }] : [],
    faults: left.slice(-maxRefusals).map((refusal) => ({ path, ...refusal })),
  };
}

type LimitTime = Extract<WorkflowEdit, { action: 'limit_time' }>;

/** A job of the file can be many recorded jobs, such as those of its matrix: the longest of them decides. */
async function limitTime(
  { path, content }: PlanFile,
  { job, limits }: LimitTime,
  { files, repository }: { files: readonly PlanFile[]; repository: string },
): Promise<Planned> {
  const plan = await readGitHubWorkflows(files, { repository });
  const planned = plan.workflows.find((each) => each.path === path)?.jobs ?? [];
  const keys = [...new Set(planned.filter(({ hasName }) => hasName(job)).map(({ key }) => key))];
  const [key] = keys;
  const refused = (reason: string) => ({
    settings: [],
    refusals: [{ reason, line: key ? lineAt(key) : null }],
  });
  const lineAt = (of: string) => lineOf(content, ['jobs', of.split(' / ')[0]!]);
  if (key === undefined)
    return refused(
      plan.unresolved.find((each) => each.path === path)?.reason ?? `The file has no job named ${job} now.`,
    );
  if (keys.length > 1) return refused(`Several jobs of the file can have the name ${job}.`);
  if (key.includes(' / '))
    return refused(`${job} is a job of a reusable workflow: its limit counts for all that call it.`);
  const own = planned.filter((each) => each.key === key);
  const minutes = Math.max(
    ...limits.filter((limit) => own.some(({ hasName }) => hasName(limit.job))).map((limit) => limit.minutes),
  );
  const read = readYaml(content);
  const known = mapOf(mapOf(mapOf('value' in read && read.value)['jobs'])[key])['timeout-minutes'];
  if (typeof known === 'number' && known <= minutes) return refused(`Its limit is ${known} minutes already.`);
  if (known !== undefined && typeof known !== 'number')
    return refused(`Its limit is ${JSON.stringify(known)}, which a run decides.`);
  return {
    settings: [{ at: ['jobs', key, 'timeout-minutes'], value: minutes, after: 'runs-on' }],
    refusals: [],
  };
}
