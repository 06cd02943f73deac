import { isGitLab } from '../../ledger/pricing/gitLabRunner.ts';

/** Lines for a workflow's file by which a newer run of a branch cancels the older one. */
export function cancelSupersededYaml(provider: string): string | null {
  if (isGitLab(provider))
    return [
      'workflow:',
      '  auto_cancel:',
      '    on_new_commit: interruptible',
      '',
      'default:',
      '  interruptible: true',
    ].join('\n');
  if (!isGitHub(provider)) return null;
  return [
    'concurrency:',
    '  group: ${{ github.workflow }}-${{ github.event.pull_request.number || github.ref }}',
    "  cancel-in-progress: true # ${{ github.event_name == 'pull_request' }} for pull requests only",
  ].join('\n');
}

/** A line for the job by which it is ended after so many minutes. */
export function limitTimeYaml(provider: string, minutes: bigint): string | null {
  if (isGitLab(provider)) return `timeout: ${minutes} minutes`;
  return isGitHub(provider) ? `timeout-minutes: ${minutes}` : null;
}

function isGitHub(provider: string): boolean {
  return provider === 'github' || provider.startsWith('github.');
}
