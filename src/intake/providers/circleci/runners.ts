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

export const circleCiKinds: readonly RunnerKind[] = classes.map(({ id, title, system, cores }) => ({
  id,
  title,
  system,
  cores,
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

/** Events contain no resource class, so rules set it as a label. Of equal names we infer the Docker class. */
export function classifyCircleCiRunner(
  job: ReportedRunner & { provider: string },
): RunnerClassification | null {
  if (job.provider !== 'circleci') {
    return { kind: 'self_hosted', rule: 'circleci_own_server', confidence: 'certain' };
  }
  const [label, ...others] = classLabels(job);
  if (label === undefined || others.length > 0) return null;
  if (label.includes('/')) return { kind: 'self_hosted', rule: 'circleci_own_runner', confidence: 'certain' };
  const known = classes.find(({ name }) => name === label.toLowerCase());
  if (!known) return null;
  const confidence = known.system === 'macos' ? 'certain' : 'guessed';
  return { kind: known.id, rule: 'circleci_class', confidence };
}

function classLabels({ labels }: ReportedRunner): string[] {
  return labels.filter((each) => !each.startsWith('job:'));
}

export function explainCircleCiRule(
  job: ReportedRunner & RunnerClassification,
  title: string,
): string | null {
  const { rule, confidence } = job;
  if (rule === 'circleci_own_server') return 'It ran on a self-hosted CircleCI server.';
  if (rule === 'circleci_own_runner')
    return `The resource class ${classLabels(job)[0]} is a self-hosted runner's.`;
  if (rule !== 'circleci_class') return null;
  const doubt =
    confidence === 'guessed' ? '; a Linux VM can have the same name, so the class is inferred' : '';
  return `The label is the resource class of ${title}${doubt}.`;
}
