import { readdirSync, readFileSync } from 'node:fs';
import {
  publishedLists,
  type DatedList,
  type RunnerClassification,
  type ReportedRunner,
  type RunnerKind,
} from '../../../ledger/pricing/provider.ts';

/** GitHub's price lists, a file each, named by a day from which it counts. Their prices follow no formula. */
export const gitHubPriceFiles = new URL('prices/', import.meta.url);

export function readPriceFiles(folder: URL): DatedList[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => {
      const read = JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as Omit<DatedList, 'from'>;
      return { ...read, from: name.slice(0, '2026-01-01'.length) };
    });
}

export const gitHubPriceLists = publishedLists(
  { id: 'github', title: 'GitHub' },
  readPriceFiles(gitHubPriceFiles),
);
export const kindIds = Object.keys(gitHubPriceLists.at(-1)!.prices);

export const gitHubKinds: readonly RunnerKind[] = kindIds.map(kindOfId);

/** https://docs.github.com/en/actions/reference/runners/github-hosted-runners, read on 2026-11-29 */
function kindOfId(id: string): RunnerKind {
  if (id === 'linux_slim')
    return { id, title: 'Linux 1-core', system: 'linux', cores: 1, architecture: 'x64', lacksDocker: true };
  const [, system, cores, arm, gpu, advanced] =
    /^(linux|windows|macos)_(\d+)_core(_arm)?(_gpu)?(_advanced)?$/.exec(id)!;
  const name = { linux: 'Linux', windows: 'Windows', macos: 'macOS' }[system!];
  const variant = `${arm ? ' arm64' : ''}${gpu ? ' GPU' : ''}${advanced ? ' (larger runner)' : ''}`;
  const title = `${name} ${cores}-core${variant}`;
  return {
    id,
    title,
    system: system as RunnerKind['system'],
    cores: Number(cores),
    // Standard macOS runners have Apple silicon, or Intel under labels such as macos-15-intel.
    ...(id !== 'macos_3_core' && { architecture: arm ? 'arm64' : 'x64' }),
    ...(gpu && { hasGpu: true }),
  };
}

/** https://docs.github.com/en/actions/reference/runners/github-hosted-runners */
export function classifyGitHubRunner(reported: ReportedRunner): RunnerClassification | null {
  const runner = readRunner(reported);
  for (const { rule, kindOf, confidenceOf } of rules) {
    const kind = kindOf(runner);
    if (kind) return { kind, rule, confidence: confidenceOf(runner) };
  }
  return null;
}

function decidingLabel(ruleName: string, labels: readonly string[]): string | null {
  const rule = rules.find(({ rule: name }) => name === ruleName);
  const ordered = labels.toSorted((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1));
  return ordered.find((label) => rule?.isAbout(label.toLowerCase())) ?? null;
}

type Runner = {
  /** In lower case and sorted, so that neither case nor order matters. */
  labels: string[];
  /** `unknown` until a runner takes the job. A custom group may contain self-hosted and larger runners. */
  place: 'github' | 'default_group' | 'own_group' | 'unknown';
};

export function readRunner({ labels, runnerGroup, runnerName }: ReportedRunner): Runner {
  return {
    labels: labels.map((label) => label.toLowerCase()).toSorted(),
    place: placeOf(runnerGroup?.toLowerCase() ?? '', runnerName?.toLowerCase() ?? ''),
  };
}

/** The group of all standard runners of GitHub. */
export const hostedGroup = 'GitHub Actions';

export const hostedName = {
  prefixes: ['github actions ', 'github-hosted', 'hosted agent'],
  example: 'GitHub Actions 1',
};

function placeOf(group: string, name: string): Runner['place'] {
  if (group === hostedGroup.toLowerCase() || hostedName.prefixes.some((prefix) => name.startsWith(prefix)))
    return 'github';
  if (group === 'default') return 'default_group';
  return group === '' && name === '' ? 'unknown' : 'own_group';
}

type Rule = {
  rule: string;
  kindOf: (runner: Runner) => string | null;
  confidenceOf: (runner: Runner) => RunnerClassification['confidence'];
  isAbout: (label: string) => boolean;
};

const thirdParties: readonly [rule: string, company: string, label: RegExp][] = [
  ['depot', 'Depot', /^depot-/],
  ['blacksmith', 'Blacksmith', /^blacksmith-\d+vcpu-/],
  ['warpbuild', 'WarpBuild', /^warp-/],
  ['buildjet', 'BuildJet', /^buildjet-/],
  ['ubicloud', 'Ubicloud', /^ubicloud(-|$)/],
  ['namespace', 'Namespace', /^(namespace-profile-|nscloud-)/],
  ['runs_on', 'RunsOn', /^runs-on[=/]/],
  ['cirun', 'Cirun', /^cirun-/],
];

/** GitHub's runner group comes first, then signs of self-hosting: such runners may have hosted labels. */
const rules: readonly Rule[] = [
  ...thirdParties.map(([rule, , pattern]) => elsewhere(rule, pattern, 'third_party')),
  elsewhere('self_hosted_label', /^self-hosted$/, 'self_hosted'),
  {
    rule: 'default_runner_group',
    kindOf: ({ place }) => (place === 'default_group' ? 'self_hosted' : null),
    confidenceOf: () => 'certain',
    isAbout: () => false,
  },
  hosted('ubuntu_slim', /^ubuntu-slim$/, 'linux_slim'),
  hosted('ubuntu', /^ubuntu-(latest|\d\d\.\d\d)$/, 'linux_2_core'),
  hosted('ubuntu_arm', /^ubuntu-(latest|\d\d\.\d\d)-arm$/, 'linux_2_core_arm'),
  hosted('windows_arm', /^windows-(latest|\d+)(-vs\d{4})?-arm$/, 'windows_2_core_arm'),
  hosted('windows', /^windows-(latest|\d{4})(-vs\d{4})?$/, 'windows_2_core'),
  hosted('macos', /^macos-(latest|\d+)(-intel|-arm)?$/, 'macos_3_core'),
  larger('macos_large', /^macos-(latest|\d+)-large$/, 'macos_12_core'),
  larger('macos_xlarge', /^(macos-(latest|\d+)|xcode-\d+)-xlarge$/, 'macos_5_core_arm'),
  {
    rule: 'larger_runner',
    kindOf: ({ labels }) => labels.map(guessLargerRunner).find((kind) => kind !== null) ?? null,
    confidenceOf: () => 'guessed',
    isAbout: (label) => guessLargerRunner(label) !== null,
  },
];

/** GitHub's runners never have this label, so it counts only outside GitHub's group. */
function elsewhere(rule: string, pattern: RegExp, kind: string): Rule {
  return {
    rule,
    kindOf: ({ labels, place }) =>
      place !== 'github' && labels.some((label) => pattern.test(label)) ? kind : null,
    confidenceOf: () => 'certain',
    isAbout: (label) => pattern.test(label),
  };
}

/** Larger runners may be in a custom group. GitHub's runners never have a second label. */
function larger(rule: string, pattern: RegExp, kind: string): Rule {
  return {
    rule,
    kindOf: ({ labels }) => (labels.some((label) => pattern.test(label)) ? kind : null),
    confidenceOf: ({ labels, place }) =>
      place === 'github' || (place === 'unknown' && labels.length === 1) ? 'certain' : 'guessed',
    isAbout: (label) => pattern.test(label),
  };
}

function hosted(rule: string, pattern: RegExp, kind: string): Rule {
  const anywhere = larger(rule, pattern, kind);
  return { ...anywhere, kindOf: (runner) => (runner.place === 'own_group' ? null : anywhere.kindOf(runner)) };
}

/** Organizations name larger runners. Most names contain system and size: `ubuntu-24.04-32core-arm`. */
function guessLargerRunner(label: string): string | null {
  const system = /ubuntu|linux|windows/.exec(label);
  // Takes linear time, because no pattern has an unbounded repetition.
  const cores = system && /(?<!\d)(\d{1,2})[-_ ]?cores?(?![a-z])/.exec(label.slice(system.index));
  if (!cores) return null;
  const arm = /(?<![a-z])(arm(v\d)?|aarch64)(?![a-z])/.test(label) ? '_arm' : '';
  const gpu = label.includes('gpu') ? '_gpu' : '';
  // Larger 2-core runners have their own prices.
  const advanced = cores[1] === '2' ? '_advanced' : '';
  const id = `${system[0] === 'windows' ? 'windows' : 'linux'}_${cores[1]}_core${arm}${gpu}${advanced}`;
  return kindIds.find((known) => known === id) ?? null;
}

export function explainGitHubRule(
  runner: ReportedRunner & RunnerClassification,
  title: string,
): string | null {
  const { rule, labels, confidence } = runner;
  if (rule === 'default_runner_group') {
    return `Self-hosted runners are in the runner group ${runner.runnerGroup}.`;
  }
  const label = decidingLabel(rule, labels);
  if (label === null) return null;
  if (rule === 'self_hosted_label') return `The label ${label} marks a self-hosted runner.`;
  const [, company] = thirdParties.find(([name]) => name === rule) ?? [];
  if (company) return `The label ${label} belongs to runners of ${company}.`;
  if (rule === 'larger_runner') {
    return `The label ${label} looks like GitHub's larger runner ${title}; the size is inferred.`;
  }
  const size = /^macos_x?large$/.test(rule) ? 'larger' : 'standard';
  const doubt = confidence === 'guessed' ? '; inferred, because the job asked for more than that label' : '';
  return `The label ${label} is GitHub's ${size} runner, ${title}${doubt}.`;
}
