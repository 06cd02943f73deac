import { gitLabKindOf } from './gitLabRunner.ts';
import { customName, ruleOfName, type PriceRule } from './priceList.ts';
import { decidingLabel, type RunnerFacts } from './runnerKind.ts';

const systems: Record<string, string> = { linux: 'Linux', windows: 'Windows', macos: 'macOS' };

const gitLabWords: Record<string, string> = { gpu: 'GPU', arm: 'arm64', m1: 'M1', m2: 'M2', pro: 'Pro' };

/** A kind of runner as people call it, such as `Linux 2-core`; a kind that is not known, by its id. */
export function runnerTitle(kind: string): string {
  const custom = customName(kind);
  if (custom !== null) return custom;
  const [, gitLabSystem, gitLabSize] = /^gitlab_(linux|windows|macos)_(\w+)$/.exec(kind) ?? [];
  if (gitLabSystem && gitLabSize) {
    const size = gitLabSize.split('_').map((word) => gitLabWords[word] ?? word);
    return `GitLab ${systems[gitLabSystem]} ${size.join(' ')}`;
  }
  if (kind === 'self_hosted') return 'Self-hosted';
  if (kind === 'third_party') return 'Runner of another company';
  if (kind === 'linux_slim') return 'Linux 1-core';
  const parts = /^(linux|windows|macos)_(\d+)_core(_arm)?(_gpu)?(_advanced)?$/.exec(kind);
  if (!parts) return kind;
  const [, system, cores, arm, gpu, advanced] = parts;
  return [
    `${systems[system!]} ${cores}-core`,
    arm ? ' arm64' : '',
    gpu ? ' GPU' : '',
    advanced ? ' (larger runner)' : '',
  ].join('');
}

const companies: Record<string, string> = {
  depot: 'Depot',
  blacksmith: 'Blacksmith',
  warpbuild: 'WarpBuild',
  buildjet: 'BuildJet',
  ubicloud: 'Ubicloud',
  namespace: 'Namespace',
  runs_on: 'RunsOn',
  cirun: 'Cirun',
};
const largerRules = ['macos_large', 'macos_xlarge'];

type ClassifiedRunner = RunnerFacts & { kind: string | null; rule: string; isGuessed: boolean };

/** How the kind of a runner was told, in one sentence. `rule` is the name of the rule that decided when it was priced. */
export function explainRunner(runner: ClassifiedRunner): string {
  const { kind, rule, labels, isGuessed } = runner;
  const organizationRule = ruleOfName(rule);
  if (organizationRule && kind !== null) return explainRule(kind, organizationRule);
  if (rule.startsWith('gitlab_') && kind !== null) return explainGitLab(kind, rule, labels);
  if (kind === null) return `No rule knows a runner ${describe(runner)}, so no price is known for it.`;
  if (rule === 'default_runner_group') {
    return `The runner group ${runner.runnerGroup} is the one in which self-hosted runners are.`;
  }
  const label = decidingLabel(rule, labels);
  if (label === null) return `The rule ${rule} tells that it is ${runnerTitle(kind)}.`;
  if (rule === 'runner_kind') return `The label ${label} names the kind of runner: ${runnerTitle(kind)}.`;
  if (rule === 'self_hosted_label') return `The label ${label} tells of a self-hosted runner.`;
  if (companies[rule]) return `The label ${label} belongs to runners of ${companies[rule]}.`;
  if (rule === 'larger_runner') {
    return `The label ${label} reads like a larger runner of GitHub's, ${runnerTitle(kind)}; this is a guess.`;
  }
  const size = largerRules.includes(rule) ? 'larger' : 'standard';
  const doubt = isGuessed ? '; this is a guess, for the job asked for more than that label' : '';
  return `The label ${label} is that of GitHub's ${size} runner, ${runnerTitle(kind)}${doubt}.`;
}

function explainRule(kind: string, rule: Pick<PriceRule, 'match' | 'pattern'>): string {
  const matched = {
    label: `the label ${rule.pattern}`,
    regex: `labels that match ${rule.pattern}`,
    runner_group: `the runner group ${rule.pattern}`,
  }[rule.match];
  return `The organization's rule for ${matched} tells that it is ${runnerTitle(kind)}.`;
}

function explainGitLab(kind: string, rule: string, tags: readonly string[]): string {
  if (rule === 'gitlab_own_server') return "It is a runner of a GitLab server of the organization's own.";
  if (kind === 'self_hosted') return "It is a runner of the group or project, and not one of GitLab's.";
  const tag = tags.find((each) => gitLabKindOf(each.toLowerCase()) === kind);
  if (tag) return `The tag ${tag} is that of GitLab's hosted runner, ${runnerTitle(kind)}.`;
  return `An instance runner without tags is GitLab's default one, ${runnerTitle(kind)}.`;
}

function describe({ labels, runnerGroup }: RunnerFacts): string {
  const group = runnerGroup ? ` in the group ${runnerGroup}` : '';
  if (labels.length === 0) return `without labels${group}`;
  return `with the label${labels.length === 1 ? '' : 's'} ${labels.join(', ')}${group}`;
}
