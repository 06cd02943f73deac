import type { EditedFiles, PlanFile, WorkflowEdit } from '../../ledger/pricing/plan.ts';
import type { Providers } from '../../ledger/pricing/provider.ts';
import { unifiedDiff } from '../../platform/lib/unifiedDiff.ts';

/** `edit` is null if no line of a file makes the change. Its path is empty until the files are known. */
export type FixChange = { text: string; yaml: string | null; edit: WorkflowEdit | null };

export type FileFix = {
  repository: string;
  /** Null for caches, of which GitHub does not say the workflow. */
  workflow: { id: string; name: string; provider: string; path: string | null } | null;
  changes: FixChange[];
};

/** A change that somebody must make, with the lines for it. */
type ByHand = Pick<FixChange, 'text' | 'yaml'> & EditedFiles['faults'][number];

/** `files` has the changed ones only, and `changed` what they do, in words. What is done in part is in both lists. */
export type Patch = {
  diff: string;
  before: readonly PlanFile[];
  after: PlanFile[];
  files: PlanFile[];
  changed: string[];
  byHand: ByHand[];
};

/** What the fix changes in these files. Changes that are not safe, or that no file can hold, are left to people. */
export async function patchOf(
  fix: FileFix,
  before: readonly PlanFile[],
  providers: Providers,
): Promise<Patch> {
  const provider = fix.workflow?.provider ?? 'github';
  const edit = providers.of(provider)?.workflowFiles?.edit;
  const path = await pathOf(fix, before, providers);
  const [changed, byHand]: [string[], ByHand[]] = [[], []];
  let after = [...before];
  const leave = ({ text, yaml }: FixChange, fault: EditedFiles['faults'][number]) =>
    byHand.push({ text, yaml, ...fault });
  for (const change of fix.changes) {
    const nowhere = { path: null, line: null };
    if (!change.edit)
      leave(change, { ...nowhere, reason: 'It is a decision of people, not a line of a file.' });
    else if (!edit)
      leave(change, { ...nowhere, reason: `Runcost cannot change files of ${provider}: copy the lines.` });
    else if (path === null && 'path' in change.edit) {
      const reason = fix.workflow
        ? `None of these files is the workflow ${fix.workflow.name}.`
        : 'The workflow of its runs is not recorded.';
      leave(change, { ...nowhere, reason });
    } else {
      const own = 'path' in change.edit ? { ...change.edit, path: path ?? '' } : change.edit;
      const edited = await edit(after, own, fix);
      const contents = new Map(edited.files.map((file) => [file.path, file]));
      after = after.map((file) => contents.get(file.path) ?? file);
      if (edited.files.length > 0) changed.push(change.text);
      for (const fault of edited.faults) leave(change, fault);
    }
  }
  const files = after.filter(({ content }, index) => content !== before[index]!.content);
  const diff = before
    .map((file, index) => unifiedDiff(file.path, file.content, after[index]!.content))
    .join('');
  return { diff, before, after, files, changed, byHand };
}

/** A single file that somebody gives is the one meant, whatever its name. */
async function pathOf(
  { workflow, repository }: FileFix,
  files: readonly PlanFile[],
  providers: Providers,
): Promise<string | null> {
  if (!workflow) return null;
  const { path: workflowPath, name: workflowName, provider } = workflow;
  if (files.some(({ path }) => path === workflowPath)) return workflowPath;
  const [only, ...others] = files;
  if (only && others.length === 0) return only.path;
  const plan = await providers.of(provider)?.workflowFiles?.read(files, { repository });
  return plan?.workflows.find(({ isOf }) => isOf({ workflowPath, workflowName }))?.path ?? null;
}
