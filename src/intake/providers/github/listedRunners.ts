import type { ListedRunner, Provider, ReportedRunner } from '../../../ledger/pricing/provider.ts';
import { classifyGitHubRunner, kindIds, readRunner } from './runners.ts';

/** GitHub's list of an organization's larger runners: https://docs.github.com/en/rest/actions/hosted-runners */
export const gitHubListedRunners: NonNullable<Provider['listedRunners']> = {
  nameOf: (reported: ReportedRunner) => {
    const { labels, place } = readRunner(reported);
    const [name, ...others] = labels;
    // The name of a larger runner is its only label. The group Default is for self-hosted runners.
    if (name === undefined || others.length > 0 || place === 'default_group') return null;
    const shipped = classifyGitHubRunner(reported);
    const isShipped = shipped?.confidence === 'certain' && kindIds.includes(shipped.kind);
    return isShipped ? null : name;
  },
  kindOf: ({ platform, size, cores }: ListedRunner) => {
    const [, system, arm] = /^(linux|win)-(?:x64|(arm64))$/.exec(platform) ?? [];
    if (system === undefined) return null;
    const variant = `${arm ? '_arm' : ''}${size.includes('gpu') ? '_gpu' : ''}`;
    const id = `${system === 'win' ? 'windows' : 'linux'}_${cores}_core${variant}`;
    // Larger 2-core runners have their own prices.
    const known = cores === 2 ? `${id}_advanced` : id;
    return kindIds.includes(known) ? known : null;
  },
  titleOf: ({ platform, size }) => `${size} ${platformTitles[platform] ?? platform} larger runner`,
};

const platformTitles: Record<string, string> = {
  'linux-x64': 'Linux x64',
  'linux-arm64': 'Linux arm64',
  'win-x64': 'Windows x64',
  'win-arm64': 'Windows arm64',
};
