import { toRunnerKind, type RunnerClassification, type RunnerFacts, type RunnerKind } from './runnerKind.ts';

/** Tags of GitLab's hosted runners: https://docs.gitlab.com/ci/runners/hosted_runners/ */
const kindsByTag: Record<string, RunnerKind> = {
  'saas-linux-small-amd64': 'gitlab_linux_small',
  'saas-linux-medium-amd64': 'gitlab_linux_medium',
  'saas-linux-large-amd64': 'gitlab_linux_large',
  'saas-linux-xlarge-amd64': 'gitlab_linux_xlarge',
  'saas-linux-2xlarge-amd64': 'gitlab_linux_2xlarge',
  'saas-linux-medium-amd64-gpu-standard': 'gitlab_linux_medium_gpu',
  'saas-linux-small-arm64': 'gitlab_linux_small_arm',
  'saas-linux-medium-arm64': 'gitlab_linux_medium_arm',
  'saas-linux-large-arm64': 'gitlab_linux_large_arm',
  'saas-macos-medium-m1': 'gitlab_macos_medium_m1',
  'saas-macos-large-m2pro': 'gitlab_macos_large_m2_pro',
  'saas-windows-medium-amd64': 'gitlab_windows_medium',
};

/** Whether a provider is GitLab: `gitlab` itself, or a server of somebody's own, such as `gitlab.git.acme.example`. */
export function isGitLab(provider: string): boolean {
  return provider === 'gitlab' || provider.startsWith('gitlab.');
}

/**
 * Which kind of runner a GitLab job ran on, from the runner's tags (`labels`) and its type (`runnerGroup`). Only
 * GitLab's instance runners cost; those of groups, projects and servers of its own are the organization's. An instance
 * runner without tags is GitLab's default one, the small Linux one.
 */
export function classifyGitLabRunner(facts: RunnerFacts & { provider: string }): RunnerClassification {
  const { labels, runnerGroup, runnerName, provider } = facts;
  const tags = labels.map((label) => label.toLowerCase()).toSorted();
  const named = runnerName ? null : toRunnerKind(tags);
  if (named) return { kind: named, rule: 'runner_kind', confidence: 'certain' };
  if (provider !== 'gitlab') return { kind: 'self_hosted', rule: 'gitlab_own_server', confidence: 'certain' };
  if (runnerGroup === 'group_type' || runnerGroup === 'project_type') {
    return { kind: 'self_hosted', rule: 'gitlab_own_runner', confidence: 'certain' };
  }
  const tag = tags.find((each) => gitLabKindOf(each) !== null);
  if (tag) return { kind: gitLabKindOf(tag), rule: 'gitlab_tag', confidence: 'certain' };
  if (runnerGroup === 'instance_type' && tags.length === 0) {
    return { kind: 'gitlab_linux_small', rule: 'gitlab_default', confidence: 'certain' };
  }
  return { kind: null, rule: 'unmatched', confidence: 'certain' };
}

/** The kind of GitLab's runner that has this tag, in lower case. */
export function gitLabKindOf(tag: string): RunnerKind | null {
  return Object.hasOwn(kindsByTag, tag) ? kindsByTag[tag]! : null;
}
