import type {
  PublishedList,
  RunnerClassification,
  ReportedRunner,
  RunnerKind,
} from '../../../ledger/pricing/provider.ts';

/** https://buildkite.com/docs/agent/buildkite-hosted, as of 2026-08-21. */
const shapes: readonly [shape: string, system: 'linux' | 'macos', vCpus: number][] = [
  ['LINUX_AMD64_2X4', 'linux', 2],
  ['LINUX_AMD64_4X16', 'linux', 4],
  ['LINUX_AMD64_8X32', 'linux', 8],
  ['LINUX_AMD64_16X64', 'linux', 16],
  ['LINUX_AMD64_32X128', 'linux', 32],
  ['LINUX_AMD64_64X256', 'linux', 64],
  ['LINUX_ARM64_2X4', 'linux', 2],
  ['LINUX_ARM64_4X16', 'linux', 4],
  ['LINUX_ARM64_8X32', 'linux', 8],
  ['LINUX_ARM64_16X64', 'linux', 16],
  ['MACOS_ARM64_M4_6X28', 'macos', 6],
  ['MACOS_ARM64_M4_12X56', 'macos', 12],
];

export const buildkiteKinds: readonly RunnerKind[] = shapes.map(([shape, system, cores]) => ({
  id: `buildkite_${shape.toLowerCase()}`,
  title: `Buildkite ${shape}`,
  system,
  cores,
}));

/** Buildkite publishes no price per minute: shapes are unpriced until an own price list has prices. */
export const buildkitePriceList: PublishedList = {
  id: 'buildkite',
  name: "Buildkite's price list",
  source: 'https://buildkite.com/pricing',
  checkedOn: '2026-11-22',
  prices: Object.fromEntries(buildkiteKinds.map(({ id }) => [id, []])),
};

/** Our own label for agents without a cluster. Buildkite's labels are rules and tags such as `queue=linux`. */
export const unclustered = 'unclustered';

/** All hosted agents are in clusters. The default queues are named after a shape. */
export function classifyBuildkiteRunner({ labels }: ReportedRunner): RunnerClassification | null {
  if (labels.includes(unclustered)) {
    return { kind: 'self_hosted', rule: 'buildkite_unclustered', confidence: 'certain' };
  }
  const size = labels.map(sizeOfMac).find((each) => each !== null);
  if (!size) return null;
  return { kind: `buildkite_macos_arm64_m4_${size}`, rule: 'buildkite_queue', confidence: 'guessed' };
}

/** https://buildkite.com/docs/agent/buildkite-hosted/macos#versioned-queues */
function sizeOfMac(label: string): string | null {
  const [, size] = /^queue=macos-(?:\d+-)?(medium|large)$/.exec(label.toLowerCase()) ?? [];
  if (size === undefined) return null;
  return size === 'medium' ? '6x28' : '12x56';
}

export function explainBuildkiteRule(
  { rule, labels }: ReportedRunner & RunnerClassification,
  title: string,
): string | null {
  if (rule === 'buildkite_unclustered') {
    return 'Its agent belongs to no cluster, unlike all hosted agents: it is self-hosted.';
  }
  const queue = labels.find((label) => sizeOfMac(label) !== null);
  if (rule !== 'buildkite_queue' || queue === undefined) return null;
  return `The label ${queue} is a queue that Buildkite sets up with ${title}; the size is inferred.`;
}
