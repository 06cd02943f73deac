import type { PlanFile } from '../../../../ledger/pricing/plan.ts';
import { isMap, mapOf, readYaml, type YamlMap } from '../../readYaml.ts';
import { groupBesidesDefaultBranch } from './branchGroup.ts';
import { eventsOf } from './events.ts';
import { lineOf, type Planned } from './setValues.ts';

const notOnDefaultBranch = '${{ github.ref_name != github.event.repository.default_branch }}';

const cancel = 'cancel-in-progress';

export function cancelSuperseded({ content }: PlanFile, files: readonly PlanFile[]): Planned {
  const read = readYaml(content);
  const refused = (reason: string, ...at: string[]) => ({
    settings: [],
    refusals: [{ reason, line: at.length > 0 ? lineOf(content, at) : null }],
  });
  if ('fault' in read) return refused(`The file ${read.fault}.`);
  const workflow = mapOf(read.value);
  const jobs = Object.entries(mapOf(workflow['jobs']));
  if (jobs.length === 0) return refused('The file has no jobs.');
  const { concurrency } = workflow;
  const events = eventsOf(workflow['on']);
  if (events.includes('workflow_call'))
    return refused('Other workflows call the file, and would share its group.', 'on');
  const deployed = jobs.find(([, job]) => mapOf(job)['environment'] !== undefined);
  if (deployed)
    return refused(`${deployed[0]} deploys: a canceled deployment can stay half done.`, 'jobs', deployed[0]);
  const caller = jobs.find(([, job]) => sharesItsGroup(mapOf(job), files));
  if (caller)
    return refused(
      `${caller[0]} calls a workflow with a group of its own, which can be the same.`,
      'jobs',
      caller[0],
    );
  if (concurrency === undefined || concurrency === null) {
    const value = { group: groupBesidesDefaultBranch, [cancel]: true };
    return { settings: [{ at: ['concurrency'], value, after: 'on' }], refusals: [] };
  }
  const value = events.every((event) => event.startsWith('pull_request')) || notOnDefaultBranch;
  const { group, [cancel]: known } = isMap(concurrency) ? concurrency : mapOf({ group: concurrency });
  if (known !== undefined && known !== false)
    return refused('The file cancels superseded runs already.', 'concurrency');
  if (typeof group !== 'string' || !isOfBranch(group))
    return refused('Its group is the same for all branches, which would cancel each other.', 'concurrency');
  if (!isMap(concurrency))
    return { settings: [{ at: ['concurrency'], value: { group, [cancel]: value } }], refusals: [] };
  return { settings: [{ at: ['concurrency', cancel], value, after: 'group' }], refusals: [] };
}

/** `github.workflow` is the caller's name in a called workflow, too. */
function sharesItsGroup({ uses }: YamlMap, files: readonly PlanFile[]): boolean {
  const called = typeof uses === 'string' && files.find(({ path }) => `./${path}` === uses);
  if (!called) return false;
  const read = readYaml(called.content);
  return 'value' in read && mapOf(read.value)['concurrency'] !== undefined;
}

function isOfBranch(group: string): boolean {
  return /github\.(ref|ref_name|head_ref|event\.number|event\.pull_request\.(number|head)|sha|run_id)\b/.test(
    group,
  );
}
