import { always } from '../../../ledger/pricing/priceBook.ts';
import type {
  PublishedList,
  RunnerClassification,
  ReportedRunner,
  RunnerKind,
} from '../../../ledger/pricing/provider.ts';
import { formatNanos, parseUsd } from '../../../platform/lib/money.ts';

/** 25,000 credits cost $15: https://circleci.com/docs/guides/plans-pricing/credits/, as of 2026-08-20. */
const nanosPerCredit = parseUsd('0.0006');

type Class = {
  id: string;
  name: string;
  title: string;
  credits: number;
  system: RunnerKind['system'];
  cores: number | null;
};

/** https://circleci.com/pricing/price-list/ on the day of each group, without unverified prices. */
const classes: readonly Class[] = [
  // 2026-05-27, quoted in github.com/adobe/react-spectrum/pull/10119; medium+ 2025-04-07 in github.com/mui/mui-x/pull/17283
  docker('medium', 10, 2),
  docker('medium+', 15, 3),
  docker('large', 20, 4),
  docker('xlarge', 40, 8),
  docker('2xlarge', 80, 16),
  // 2026-05-27, quoted in github.com/adobe/react-spectrum/pull/10119
  docker('medium.gen2', 12, 2),
  docker('large.gen2', 24, 4),
  docker('xlarge.gen2', 48, 8),
  docker('2xlarge.gen2', 96, 16),
  // 2025-04-07, quoted in github.com/mui/mui-x/pull/17283
  docker('arm.medium', 13, 2),
  // 2025-09-25, quoted in github.com/snyk/cli/pull/6187, and 2025-10-24 in github.com/mozilla/glean/pull/3295
  macOs('m4pro.medium', 200),
  macOs('m4pro.large', 400),
];

function docker(name: string, credits: number, cores: number): Class {
  return {
    id: idOf('docker', name),
    name,
    title: `CircleCI Docker ${name}`,
    credits,
    system: 'linux',
    cores,
  };
}

function macOs(name: string, credits: number): Class {
  return {
    id: idOf('macos', name),
    name,
    title: `CircleCI macOS ${name}`,
    credits,
    system: 'macos',
    cores: null,
  };
}

function idOf(executor: string, name: string): string {
  return `circleci_${executor}_${name.replaceAll('.', '_').replace('+', '_plus')}`;
}

export const circleCiKinds: readonly RunnerKind[] = classes.map(({ id, title, system, cores, credits }) => ({
  id,
  title,
  system,
  cores,
  creditsPerMinute: credits,
}));

export const circleCiPriceList: PublishedList = {
  id: 'circleci',
  name: "CircleCI's price list",
  source: 'https://circleci.com/pricing/price-list/',
  checkedOn: '2026-05-27',
  prices: Object.fromEntries(
    classes.map(({ id, credits }) => [id, always(formatNanos(BigInt(credits) * nanosPerCredit))]),
  ),
};

/**
 * Labels of a job: `job:` and its name from an event; its executor and class, such as `docker:large`, and `parallelism:`
 * from the usage data. Rules add a class alone. A class alone could be a Linux VM's, so we infer the Docker class.
 */
export function classifyCircleCiRunner(
  job: ReportedRunner & { provider: string },
): RunnerClassification | null {
  if (job.provider !== 'circleci') {
    return { kind: 'self_hosted', rule: 'circleci_own_server', confidence: 'certain' };
  }
  const [label, ...others] = classLabels(job);
  if (label === undefined || others.length > 0) return null;
  if (label.includes('/')) return { kind: 'self_hosted', rule: 'circleci_own_runner', confidence: 'certain' };
  const { executor, name } = placeOf(label);
  const known = classes.find((each) => each.name === name);
  if (!known) return null;
  if (executor !== null) {
    const isOfExecutor = known.system === 'macos' ? executor === 'macos' : executor === 'docker';
    return isOfExecutor ? { kind: known.id, rule: 'circleci_usage', confidence: 'certain' } : null;
  }
  const confidence = known.system === 'macos' ? 'certain' : 'guessed';
  return { kind: known.id, rule: 'circleci_class', confidence };
}

function classLabels({ labels }: ReportedRunner): string[] {
  return labels.filter((each) => !/^(job|parallelism):/.test(each));
}

function placeOf(label: string): { executor: string | null; name: string } {
  const [, executor = null, name = ''] = /^(?:([a-z ]+):)?(.*)$/.exec(label.toLowerCase()) ?? [];
  return { executor, name };
}

/** More would be an error of the data, and must not multiply a cost. */
const maxParallelism = 1_000;

export function circleCiParallelism({ labels }: ReportedRunner): number {
  const [, count] =
    /^parallelism:(\d{1,5})$/.exec(labels.find((each) => each.startsWith('parallelism:')) ?? '') ?? [];
  const parallelism = Number(count ?? 1);
  return parallelism >= 1 && parallelism <= maxParallelism ? parallelism : 1;
}

/** Credits per minute of a class by its label in the usage data. Null if we know no price, and 0 on own runners. */
export function circleCiCredits(label: string): number | null {
  const runner = { provider: 'circleci', labels: [label], runnerGroup: null, runnerName: null };
  const kind = classifyCircleCiRunner(runner)?.kind;
  if (kind === 'self_hosted') return 0;
  return classes.find(({ id }) => id === kind)?.credits ?? null;
}

export function explainCircleCiRule(
  job: ReportedRunner & RunnerClassification,
  title: string,
): string | null {
  const { rule, confidence } = job;
  if (rule === 'circleci_own_server') return 'It ran on a self-hosted CircleCI server.';
  if (rule === 'circleci_own_runner')
    return `The resource class ${classLabels(job)[0]} is a self-hosted runner's.`;
  if (rule === 'circleci_usage') return `CircleCI's usage data names its resource class: ${title}.`;
  if (rule !== 'circleci_class') return null;
  const doubt =
    confidence === 'guessed' ? '; a Linux VM can have the same name, so the class is inferred' : '';
  return `The label is the resource class of ${title}${doubt}.`;
}
