export type JobPlan = {
  name: string;
  runner: Runner;
  minutes: number;
  isMainOnly: boolean;
  /** Where the branches about `trialTopic` run it, and how many times as long it takes there. */
  trial?: { runner: Runner; factor: number };
};

type Runner = {
  labels: string[];
  group: string;
  namePrefix: string;
  machines: number;
  queueSeconds: number;
};

export type Workflow = {
  name: string;
  file: string;
  /** `code` means pull requests and main. `nightly` ignores `weight`. */
  on: 'code' | 'pull_request' | 'main' | 'manual' | 'nightly';
  weight: number;
  failureRate: number;
  /** The jobs of a stage run in parallel after the previous stage has succeeded. */
  stages: JobPlan[][];
  /** Replaces `stages` on the days with high costs. */
  runawayStages?: JobPlan[][];
};

const linux = hosted('ubuntu-latest', 6);
const slim = hosted('ubuntu-slim', 5);
const windows = hosted('windows-latest', 9);
const macos = hosted('macos-latest', 25);
const macosLarge = hosted('macos-14-large', 40);
const linux4 = larger('ubuntu-latest-4-cores');
const linux16 = larger('ubuntu-latest-16-cores');
const buildFarm = own(['self-hosted', 'linux', 'x64'], 'Default', 'build-', 6, 45);
const gpuFarm = own(['self-hosted', 'linux', 'gpu'], 'Default', 'gpu-', 2, 120);
// Its label contains no size, so it is unpriced until somebody maps it.
const performanceLab = own(['perf-lab'], 'Performance lab', 'perf-lab-', 2, 60);

export const owner = 'nimbus-commerce';

/** What its own machines cost. */
export const pools = [
  { name: 'Build machines', pattern: 'x64', machines: buildFarm.machines, monthlyUsd: 210 },
  { name: 'GPU machines', pattern: 'gpu', machines: gpuFarm.machines, monthlyUsd: 380 },
];

/** Some repositories have no owner, as in most companies. */
export const ownership = `kind,owner,repository,workflow,label
team,Machine Learning,${owner}/*,,gpu
team,Platform,${owner}/*,Deploy,
team,Backend,${owner}/api,,
team,Web,${owner}/web,,
team,Mobile,${owner}/mobile,,
team,Platform,${owner}/infra,,
team,Machine Learning,${owner}/ml,,
cost_center,CC-100 Product,${owner}/api,,
cost_center,CC-100 Product,${owner}/web,,
cost_center,CC-100 Product,${owner}/mobile,,
cost_center,CC-200 Infrastructure,${owner}/infra,,
cost_center,CC-300 Research,${owner}/ml,,
`;

export const repositories: { name: string; daysBetweenPushes?: number; workflows: Workflow[] }[] = [
  {
    name: 'api',
    workflows: [
      workflow('CI', 'ci.yml', 'code', 15, 0.18, [
        [
          job('lint', linux, 2),
          ...matrix('unit', ['1/4', '2/4', '3/4', '4/4'], linux, 5),
          ...matrix('integration', ['postgres 15', 'postgres 18'], linux4, 8).map((plan) =>
            tried(plan, { runner: linux, factor: 1.35 }),
          ),
        ],
        [mainOnly(job('image', linux, 6))],
      ]),
      workflow('CodeQL', 'codeql.yml', 'pull_request', 4, 0.04, [[job('analyze', linux4, 11)]]),
      workflow('Deploy', 'deploy.yml', 'main', 3, 0.11, [
        [job('staging', linux, 5)],
        [job('smoke tests', linux, 3)],
        [job('production', linux, 6)],
      ]),
      workflow('Load test', 'load-test.yml', 'nightly', 0, 0.18, [[job('load', performanceLab, 34)]]),
    ],
  },
  {
    name: 'web',
    workflows: [
      workflow('CI', 'ci.yml', 'code', 13, 0.2, [
        [job('lint', linux, 2), job('types', linux, 3), job('unit', linux, 5)],
        matrix('e2e', ['chromium 1/2', 'chromium 2/2', 'firefox', 'webkit'], linux4, 10),
      ]),
      workflow('Preview', 'preview.yml', 'pull_request', 9, 0.07, [[job('preview', linux, 4)]]),
      workflow('Deploy', 'deploy.yml', 'main', 3, 0.08, [
        [job('build', linux4, 6)],
        [job('release', linux, 2)],
      ]),
      workflow('Lighthouse', 'lighthouse.yml', 'nightly', 0, 0.12, [
        matrix('audit', ['home', 'search', 'checkout'], linux, 6),
      ]),
    ],
  },
  {
    name: 'mobile',
    workflows: [
      {
        ...workflow('CI', 'ci.yml', 'code', 5.5, 0.23, [
          [job('lint', linux, 3), job('unit', linux, 6)],
          [job('ios', macos, 14), job('android', linux4, 12)],
        ]),
        // For three days, somebody tests every device on every push.
        runawayStages: [
          [job('lint', linux, 3), job('unit', linux, 6)],
          [
            ...matrix(
              'ios',
              ['16 mini', '16', '16 max', '17 mini', '17', '17 max', 'tablet'],
              macosLarge,
              24,
            ),
            ...matrix('android', ['api 34', 'api 35'], linux16, 17),
          ],
        ],
      },
      workflow('UI tests', 'ui-tests.yml', 'main', 1.6, 0.31, [
        matrix('ui', ['phone', 'tablet'], macosLarge, 19),
      ]),
      workflow('Release', 'release.yml', 'manual', 0.4, 0.18, [
        [job('ios', macosLarge, 26), job('android', linux4, 16)],
        [job('publish', linux, 3)],
      ]),
    ],
  },
  {
    name: 'infra',
    workflows: [
      workflow('Plan', 'plan.yml', 'pull_request', 5, 0.14, [
        matrix('plan', ['staging', 'production'], linux, 3),
      ]),
      workflow('Apply', 'apply.yml', 'main', 2, 0.12, [
        [job('staging', linux, 5)],
        [job('production', linux, 7)],
      ]),
      workflow('Machine images', 'images.yml', 'main', 1, 0.17, [
        matrix('image', ['web', 'worker'], buildFarm, 18),
      ]),
      workflow('Drift', 'drift.yml', 'nightly', 0, 0.24, [
        matrix('check', ['staging', 'production'], linux, 6),
      ]),
    ],
  },
  {
    name: 'ml',
    workflows: [
      workflow('CI', 'ci.yml', 'code', 4, 0.22, [
        [job('lint', linux, 2), tried(job('test', linux4, 9), { runner: linux, factor: 2.4 })],
      ]),
      workflow('Evaluate', 'evaluate.yml', 'pull_request', 1.2, 0.16, [[job('evaluate', linux16, 22)]]),
      workflow('Train', 'train.yml', 'nightly', 0, 0.14, [
        [job('features', buildFarm, 25)],
        [job('train', gpuFarm, 75)],
      ]),
    ],
  },
  {
    name: 'desktop',
    workflows: [
      workflow('CI', 'ci.yml', 'code', 4, 0.22, [
        [job('test (linux)', linux, 7), job('test (windows)', windows, 11), job('test (macos)', macos, 8)],
      ]),
      workflow('Installers', 'installers.yml', 'main', 0.8, 0.14, [
        [job('installer (windows)', windows, 14), job('installer (macos)', macos, 13)],
        [mainOnly(job('sign', windows, 4))],
      ]),
    ],
  },
  {
    name: 'sdk',
    workflows: [
      workflow('Test', 'test.yml', 'code', 4, 0.13, [
        [...matrix('node', ['20', '22', '24'], linux, 4), job('node (24, windows)', windows, 6)],
      ]),
      workflow('Publish', 'publish.yml', 'manual', 0.3, 0.1, [[job('publish', linux, 3)]]),
    ],
  },
  {
    name: 'docs',
    workflows: [
      workflow('Build', 'build.yml', 'pull_request', 5, 0.06, [[job('build', linux, 2)]]),
      workflow('Publish', 'publish.yml', 'main', 2, 0.04, [
        [job('build', linux, 2)],
        [job('publish', slim, 1)],
      ]),
      workflow('Links', 'links.yml', 'nightly', 0, 0.3, [[job('check links', slim, 7)]]),
    ],
  },
  {
    // Nearly finished: every night, it builds what it built the night before.
    name: 'point-of-sale',
    daysBetweenPushes: 14,
    workflows: [
      workflow('Nightly', 'nightly.yml', 'nightly', 0, 0, [
        [...matrix('build', ['register', 'kiosk'], windows, 17), job('simulate', linux4, 21)],
      ]),
    ],
  },
];

export const people = [
  'mira-kovac',
  'tobias-lund',
  'aisha-bello',
  'renovate[bot]',
  'Copilot',
  'jun-watanabe',
  'carla-mendes',
  'pieter-vos',
  'noor-haddad',
  'sam-okafor',
  'lena-fischer',
  'ravi-menon',
  'ines-duarte',
  'oleg-marchuk',
];

export const topics = [
  'checkout-retry',
  'search-ranking',
  'invoice-export',
  'login-timeout',
  'cart-merge',
  'dark-mode',
  'rate-limits',
  'upgrade-deps',
  'flaky-tests',
  'image-cache',
  'webhook-retries',
  'locale-dates',
];

/** On its branches, somebody tries smaller runners. */
export const trialTopic = 'image-cache';

function workflow(
  name: string,
  file: string,
  on: Workflow['on'],
  weight: number,
  failureRate: number,
  stages: JobPlan[][],
): Workflow {
  return { name, file, on, weight, failureRate, stages };
}

function job(name: string, runner: Runner, minutes: number): JobPlan {
  return { name, runner, minutes, isMainOnly: false };
}

function matrix(name: string, variants: string[], runner: Runner, minutes: number): JobPlan[] {
  return variants.map((variant) => job(`${name} (${variant})`, runner, minutes));
}

function tried(plan: JobPlan, trial: NonNullable<JobPlan['trial']>): JobPlan {
  return { ...plan, trial };
}

function mainOnly(plan: JobPlan): JobPlan {
  return { ...plan, isMainOnly: true };
}

function hosted(label: string, queueSeconds: number): Runner {
  return own([label], 'GitHub Actions', 'GitHub Actions ', 900, queueSeconds);
}

function larger(label: string): Runner {
  return own([label], 'Default Larger Runners', `${label}_`, 400, 30);
}

function own(
  labels: string[],
  group: string,
  namePrefix: string,
  machines: number,
  queueSeconds: number,
): Runner {
  return { labels, group, namePrefix, machines, queueSeconds };
}
