import { always, beginning } from '../../../ledger/pricing/priceBook.ts';
import type {
  PublishedList,
  RunnerClassification,
  ReportedRunner,
  RunnerKind,
} from '../../../ledger/pricing/provider.ts';
import type { PublishedTerms } from '../../../ledger/pricing/publishedTerms.ts';
import { fraction } from '../../../platform/lib/fractions.ts';

type HostedRunner = { id: string; tag: string; title: string; usdPerMinute: string };

/** https://docs.gitlab.com/ci/runners/hosted_runners/ */
const hostedRunners: readonly HostedRunner[] = [
  hosted('gitlab_linux_small', 'saas-linux-small-amd64', 'Linux small', '0.010'),
  hosted('gitlab_linux_medium', 'saas-linux-medium-amd64', 'Linux medium', '0.020'),
  hosted('gitlab_linux_large', 'saas-linux-large-amd64', 'Linux large', '0.030'),
  hosted('gitlab_linux_xlarge', 'saas-linux-xlarge-amd64', 'Linux xlarge', '0.060'),
  hosted('gitlab_linux_2xlarge', 'saas-linux-2xlarge-amd64', 'Linux 2xlarge', '0.120'),
  hosted('gitlab_linux_medium_gpu', 'saas-linux-medium-amd64-gpu-standard', 'Linux medium GPU', '0.070'),
  hosted('gitlab_linux_small_arm', 'saas-linux-small-arm64', 'Linux small arm64', '0.010'),
  hosted('gitlab_linux_medium_arm', 'saas-linux-medium-arm64', 'Linux medium arm64', '0.020'),
  hosted('gitlab_linux_large_arm', 'saas-linux-large-arm64', 'Linux large arm64', '0.030'),
  hosted('gitlab_macos_medium_m1', 'saas-macos-medium-m1', 'macOS medium M1', '0.060'),
  hosted('gitlab_macos_large_m2_pro', 'saas-macos-large-m2pro', 'macOS large M2 Pro', '0.120'),
  hosted('gitlab_windows_medium', 'saas-windows-medium-amd64', 'Windows medium', '0.010'),
];

function hosted(id: string, tag: string, title: string, usdPerMinute: string): HostedRunner {
  return { id, tag, title: `GitLab ${title}`, usdPerMinute };
}

export const gitLabKinds: readonly RunnerKind[] = hostedRunners.map(({ id, title }) => ({
  id,
  title,
  cores: null,
  system: id.split('_')[1] as RunnerKind['system'],
}));

/** $10 per 1,000 compute minutes, times the runner's cost factor. */
export const gitLabPriceList: PublishedList = {
  id: 'gitlab',
  name: "GitLab's price list",
  source: 'https://docs.gitlab.com/ci/pipelines/compute_minutes/',
  checkedOn: '2026-11-21',
  prices: Object.fromEntries(hostedRunners.map(({ id, usdPerMinute }) => [id, always(usdPerMinute)])),
};

const drawFact = {
  multipliers: null,
  lastDay: null,
  source: 'https://docs.gitlab.com/ci/pipelines/compute_minutes/',
  checkedOn: '2026-11-29',
  status: 'published',
} as const;

/**
 * GitLab applies the lowest factor, so these replace that of the runner. They hold since other public projects use whole
 * minutes (https://gitlab.com/gitlab-org/gitlab/-/issues/337245); before, all public projects used less than these.
 */
const sinceWholeMinutes = '2022-10-01';

/**
 * Compute minutes of a namespace, which an organization states itself: Free 400, Premium 10,000, Ultimate 50,000 a month
 * (https://about.gitlab.com/pricing/, as of 2026-09-20). All projects use them, public ones too. No event says whether a
 * namespace is in the Open Source program or a project is a fork, so an organization chooses the draw.
 */
export const gitLabTerms: PublishedTerms = {
  freeUses: [],
  plans: [],
  products: [],
  draws: [
    {
      ...drawFact,
      draw: 'list_price_ratio',
      title: 'The cost factor of the runner',
      firstDay: beginning,
    },
    {
      ...drawFact,
      draw: 'open_source_program',
      title: '0.5 for public projects, in the GitLab for Open Source program',
      ofPublicProjects: fraction(1n, 2n),
      firstDay: sinceWholeMinutes,
    },
    {
      ...drawFact,
      draw: 'open_source_forks',
      title: '0.008 for public projects, as forks of projects in the program',
      ofPublicProjects: fraction(1n, 125n),
      firstDay: sinceWholeMinutes,
    },
  ],
};

/** Only GitLab's instance runners cost money. One without tags is the small Linux one. */
export function classifyGitLabRunner(
  job: ReportedRunner & { provider: string },
): RunnerClassification | null {
  const { labels, runnerGroup, provider } = job;
  const certainly = (kind: string, rule: string) => ({ kind, rule, confidence: 'certain' as const });
  if (provider !== 'gitlab') return certainly('self_hosted', 'gitlab_own_server');
  if (runnerGroup === 'group_type' || runnerGroup === 'project_type') {
    return certainly('self_hosted', 'gitlab_own_runner');
  }
  const tags = labels.map((label) => label.toLowerCase()).toSorted();
  const kind = tags.map(kindOfTag).find((each) => each !== undefined);
  if (kind !== undefined) return certainly(kind, 'gitlab_tag');
  if (runnerGroup === 'instance_type' && tags.length === 0) {
    return certainly('gitlab_linux_small', 'gitlab_default');
  }
  return null;
}

function kindOfTag(tag: string): string | undefined {
  return hostedRunners.find((each) => each.tag === tag)?.id;
}

export function explainGitLabRule(
  { rule, kind, labels }: ReportedRunner & RunnerClassification,
  title: string,
): string | null {
  if (!rule.startsWith('gitlab_')) return null;
  if (rule === 'gitlab_own_server') return 'It ran on a self-hosted GitLab server.';
  if (kind === 'self_hosted') return "It is a runner of the group or project, not one of GitLab's.";
  const tag = labels.find((each) => kindOfTag(each.toLowerCase()) === kind);
  if (tag) return `The tag ${tag} is GitLab's hosted runner, ${title}.`;
  return `An instance runner without tags is GitLab's default one, ${title}.`;
}
