/** Kinds of runner that prices are known for. The ids are stored, shown and accepted as labels: never rename one. */
export const runnerKinds = [
  'linux_slim',
  'linux_2_core',
  'linux_2_core_advanced',
  'linux_4_core',
  'linux_8_core',
  'linux_16_core',
  'linux_32_core',
  'linux_64_core',
  'linux_96_core',
  'linux_2_core_arm',
  'linux_2_core_arm_advanced',
  'linux_4_core_arm',
  'linux_8_core_arm',
  'linux_16_core_arm',
  'linux_32_core_arm',
  'linux_64_core_arm',
  'linux_4_core_gpu',
  'windows_2_core',
  'windows_4_core',
  'windows_8_core',
  'windows_16_core',
  'windows_32_core',
  'windows_64_core',
  'windows_96_core',
  'windows_2_core_arm',
  'windows_2_core_arm_advanced',
  'windows_4_core_arm',
  'windows_8_core_arm',
  'windows_16_core_arm',
  'windows_32_core_arm',
  'windows_64_core_arm',
  'windows_4_core_gpu',
  'macos_3_core',
  'macos_12_core',
  'macos_5_core_arm',
  'gitlab_linux_small',
  'gitlab_linux_medium',
  'gitlab_linux_large',
  'gitlab_linux_xlarge',
  'gitlab_linux_2xlarge',
  'gitlab_linux_medium_gpu',
  'gitlab_linux_small_arm',
  'gitlab_linux_medium_arm',
  'gitlab_linux_large_arm',
  'gitlab_macos_medium_m1',
  'gitlab_macos_large_m2_pro',
  'gitlab_windows_medium',
  'self_hosted',
  'third_party',
] as const;

export type RunnerKind = (typeof runnerKinds)[number];

export function isRunnerKind(text: string): text is RunnerKind {
  return (runnerKinds as readonly string[]).includes(text);
}

/** Whether it is one of GitLab's own runners, which GitLab bills by the second. */
export function isGitLabKind(kind: string): boolean {
  return kind.startsWith('gitlab_');
}

/** What a provider tells of the runner of a job; group and name are null until a runner took the job. */
export type RunnerFacts = {
  labels: readonly string[];
  runnerGroup: string | null;
  runnerName: string | null;
};

export type RunnerClassification = {
  /** Null when no rule matched: the job is unpriced. */
  kind: RunnerKind | null;
  /** Name of the rule that decided, for the receipt. */
  rule: string;
  confidence: 'certain' | 'guessed';
};

/**
 * Which kind of runner a job ran on, by the first rule that matches. Neither the order of the labels nor their case
 * matters. The labels are those of GitHub's hosted runners and of the known third parties:
 * https://docs.github.com/en/actions/reference/runners/github-hosted-runners
 */
export function classifyRunner(facts: RunnerFacts): RunnerClassification {
  const runner = readRunner(facts);
  for (const { rule, kindOf, confidenceOf } of rules) {
    const kind = kindOf(runner);
    if (kind) return { kind, rule, confidence: confidenceOf(runner) };
  }
  return { kind: null, rule: 'unmatched', confidence: 'certain' };
}

/** The label by which the rule decided, as it is written; null where no label did. */
export function decidingLabel(ruleName: string, labels: readonly string[]): string | null {
  const rule = rules.find(({ rule: name }) => name === ruleName);
  const ordered = labels.toSorted((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1));
  return ordered.find((label) => rule?.isAbout(label.toLowerCase())) ?? null;
}

type Runner = {
  /** Lower-case and sorted, so that neither case nor order can decide. */
  labels: string[];
  /** A program that submits a job tells its kind of runner or labels, and never a runner's name. */
  isNamed: boolean;
  /** `unknown` until a runner took the job. A group of its own may hold self-hosted and larger runners alike. */
  place: 'github' | 'default_group' | 'own_group' | 'unknown';
};

function readRunner({ labels, runnerGroup, runnerName }: RunnerFacts): Runner {
  return {
    labels: labels.map((label) => label.toLowerCase()).toSorted(),
    isNamed: Boolean(runnerName),
    place: placeOf(runnerGroup?.toLowerCase() ?? '', runnerName?.toLowerCase() ?? ''),
  };
}

function placeOf(group: string, name: string): Runner['place'] {
  if (group === 'github actions' || /^(github actions |github-hosted|hosted agent)/.test(name))
    return 'github';
  if (group === 'default') return 'default_group';
  return group === '' && name === '' ? 'unknown' : 'own_group';
}

type Rule = {
  rule: string;
  kindOf: (runner: Runner) => RunnerKind | null;
  confidenceOf: (runner: Runner) => RunnerClassification['confidence'];
  /** Whether the rule can decide by this label. */
  isAbout: (label: string) => boolean;
};

/**
 * The first match decides. GitHub's own runner group beats every label. Whatever else tells of self-hosting comes
 * before the labels of hosted runners, for self-hosted runners may carry those as well.
 */
const rules: readonly Rule[] = [
  {
    rule: 'runner_kind',
    kindOf: ({ labels, isNamed }) => (isNamed ? null : toRunnerKind(labels)),
    confidenceOf: () => 'certain',
    isAbout: (label) => toRunnerKind([label]) !== null,
  },
  elsewhere('depot', /^depot-/, 'third_party'),
  elsewhere('blacksmith', /^blacksmith-\d+vcpu-/, 'third_party'),
  elsewhere('warpbuild', /^warp-/, 'third_party'),
  elsewhere('buildjet', /^buildjet-/, 'third_party'),
  elsewhere('ubicloud', /^ubicloud(-|$)/, 'third_party'),
  elsewhere('namespace', /^(namespace-profile-|nscloud-)/, 'third_party'),
  elsewhere('runs_on', /^runs-on[=/]/, 'third_party'),
  elsewhere('cirun', /^cirun-/, 'third_party'),
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
  hosted('windows_arm', /^windows-\d+-arm$/, 'windows_2_core_arm'),
  hosted('windows', /^windows-(latest|\d{4})(-vs\d{4})?$/, 'windows_2_core'),
  hosted('macos', /^macos-(latest|\d+)(-intel)?$/, 'macos_3_core'),
  larger('macos_large', /^macos-(latest|\d+)-large$/, 'macos_12_core'),
  larger('macos_xlarge', /^(macos-(latest|\d+)|xcode-\d+)-xlarge$/, 'macos_5_core_arm'),
  {
    rule: 'larger_runner',
    kindOf: ({ labels }) => labels.map(guessLargerRunner).find((kind) => kind !== null) ?? null,
    confidenceOf: () => 'guessed',
    isAbout: (label) => guessLargerRunner(label) !== null,
  },
];

/** A label that no runner of GitHub's has, so it only counts outside GitHub's own group. */
function elsewhere(rule: string, pattern: RegExp, kind: RunnerKind): Rule {
  return {
    rule,
    kindOf: ({ labels, place }) =>
      place !== 'github' && labels.some((label) => pattern.test(label)) ? kind : null,
    confidenceOf: () => 'certain',
    isAbout: (label) => pattern.test(label),
  };
}

/**
 * A label of a larger runner of GitHub's, which may stand in a group of the organization's own. GitHub's runners have
 * no second label.
 */
function larger(rule: string, pattern: RegExp, kind: RunnerKind): Rule {
  return {
    rule,
    kindOf: ({ labels }) => (labels.some((label) => pattern.test(label)) ? kind : null),
    confidenceOf: ({ labels, place }) =>
      place === 'github' || (place === 'unknown' && labels.length === 1) ? 'certain' : 'guessed',
    isAbout: (label) => pattern.test(label),
  };
}

/** A label of a standard runner. In a group of the organization's own it is some other runner that has it, too. */
function hosted(rule: string, pattern: RegExp, kind: RunnerKind): Rule {
  const anywhere = larger(rule, pattern, kind);
  return { ...anywhere, kindOf: (runner) => (runner.place === 'own_group' ? null : anywhere.kindOf(runner)) };
}

/** Jobs that other programs submit may name the kind itself, as the only label. */
export function toRunnerKind(labels: readonly string[]): RunnerKind | null {
  return labels.length === 1 ? (runnerKinds.find((kind) => kind === labels[0]) ?? null) : null;
}

/** Names of larger runners are the organization's choice; most tell system and size: `ubuntu-24.04-32core-arm`. */
function guessLargerRunner(label: string): RunnerKind | null {
  const system = /ubuntu|linux|windows/.exec(label);
  // Every search here is linear: no pattern holds an unbounded repetition that could be retried.
  const cores = system && /(?<!\d)(\d{1,2})[-_ ]?cores?(?![a-z])/.exec(label.slice(system.index));
  if (!cores) return null;
  const arm = /(?<![a-z])(arm(v\d)?|aarch64)(?![a-z])/.test(label) ? '_arm' : '';
  const gpu = label.includes('gpu') ? '_gpu' : '';
  // The larger 2-core runners are other products than the standard ones of that size.
  const advanced = cores[1] === '2' ? '_advanced' : '';
  const id = `${system[0] === 'windows' ? 'windows' : 'linux'}_${cores[1]}_core${arm}${gpu}${advanced}`;
  return runnerKinds.find((known) => known === id) ?? null;
}
