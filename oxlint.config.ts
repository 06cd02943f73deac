import { defineConfig, type DummyRuleMap, type OxlintOverride } from 'oxlint';

// The program from the bottom up: a part may import those before it, and none of those after it.
const platform = [
  'platform/lib',
  'platform/telemetry',
  'config',
  'tables',
  'audited',
  'platform/postgres',
  'platform/db',
  'platform/work',
  'platform/backup',
  'platform/egress',
  'context',
  'platform/http',
];
const shared = [
  ...[
    'audit',
    'organizations',
    'members',
    'tokens',
    'sessions',
    'logins',
    'operator',
    'invitations',
    'identity',
    'shareLinks',
  ].map((name) => `tenancy/${name}`),
  'events',
  ...[
    'pricing',
    'actors',
    'runs',
    'pullRequests',
    'repricing',
    'ownership',
    'bills',
    'storage',
    'pools',
    'costs',
    'retention',
  ].map((name) => `ledger/${name}`),
];
// These three wings know nothing of each other.
const wings = [
  [
    'providers',
    'revisions',
    'reception',
    'backfills',
    'usageImports',
    'gitHubApps',
    'gitLabWebhooks',
    'teams',
    'hostedRunners',
    'storageReadings',
    'pullRequestReadings',
    'billFetches',
  ].map((name) => `intake/${name}`),
  [
    'overview',
    'explore',
    'annotations',
    'views',
    'showback',
    'bills',
    'waste',
    'storageCosts',
    'audits',
    'moves',
    'estimates',
    'fixes',
    'pullRequests',
    'exports',
    'scheduledExports',
  ].map((name) => `insight/${name}`),
  ['channels', 'notifications', 'alerts', 'digests', 'webhooks', 'pullRequestComments'].map(
    (name) => `outreach/${name}`,
  ),
];
const domains = [...shared, ...wings.flat()];
const parts = [
  'operations',
  'verifyWebhook',
  'clientVerbs',
  'clientCalls',
  'client', // for other people's programs: they stand alone
  ...platform,
  ...domains,
  'estimateThread',
  'app',
  'demo',
  'verbs',
  'server',
  'worker',
  'mcp',
  'cli',
  'operator',
  'main',
];
/** What clients of the API know of the program: words, pure functions, and how to read a clone. */
const knownToClients = ['operations', 'client', 'config', 'platform/lib', 'intake/revisions'];
const known: Partial<Record<string, string[]>> = { mcp: knownToClients, cli: [...knownToClients, 'mcp'] };
const singleFiles = [
  'operations',
  'verifyWebhook',
  'clientVerbs',
  'clientCalls',
  'client',
  'config',
  'tables',
  'audited',
  'context',
  'estimateThread',
  'app',
  'verbs',
  'server',
  'worker',
  'main',
];

/** A file's name can let it know what the other files of its part do not. */
type Role = 'routes' | 'http' | 'verbs' | 'schema' | 'queries' | 'other';

/** Which files of the domains the parts open that put the program together. */
const enters: Record<string, string[]> = {
  verbs: ['verbs'],
  audited: ['audited'],
  server: ['routes', 'verbs'],
  app: ['queries'],
};

/** The parts that a part must not import: those after it, and those of the wings beside its own. */
function hiddenFrom(part: string): string[] {
  // They put together what their owners state: tables, words of the audit log, and what every operation gets.
  if (['tables', 'audited', 'context'].includes(part)) return [];
  const only = known[part];
  if (only) return parts.filter((each) => each !== part && !only.includes(each));
  const wing = wings.find((names) => names.includes(part));
  const beside = wing ? wings.filter((each) => each !== wing).flat() : [];
  return [...new Set([...parts.slice(parts.indexOf(part) + 1), ...beside])];
}

/** How a file may write these parts when it imports them. */
function pathsTo(part: string, others: readonly string[]): string {
  const wingOf = (each: string) => each.slice(0, each.indexOf('/') + 1);
  // Two wings can have a part of one name, and a file writes its own wing's without the wing.
  const names = others.map((other) =>
    wingOf(other) === wingOf(part) ? other.replace(/^.+\//, '($&)?') : other,
  );
  const up = singleFiles.includes(part) ? '\\./' : '(\\.\\./)+';
  return `^${up}(${names.join('|')})`;
}

function bansFor(part: string, role: Role) {
  const hidden = hiddenFrom(part);
  const innards = ['queries', 'schema', 'routes', 'verbs', 'http', 'audited'].filter(
    (innard) => !enters[part]?.includes(innard),
  );
  const knowsHttp =
    ['routes', 'http', 'schema'].includes(role) || part === 'platform/http' || part === 'server';
  const knowsShapes = knowsHttp || role === 'verbs' || part === 'config' || part === 'events';
  const knowsDriver =
    role === 'queries' || ['platform/postgres', 'platform/db', 'platform/work'].includes(part);
  const bans = [
    { regex: '^(\\.\\./)+(test|bench|scripts)/', message: 'The program does not import what checks it.' },
    { regex: '^(node:)?process$', message: 'config.ts reads the environment.' },
    {
      unless: part === 'platform/egress',
      regex: '^undici$',
      message: 'Only egress/ calls out to the network.',
    },
    {
      unless: hidden.length === 0,
      regex: `${pathsTo(part, hidden)}(/|\\.ts$)`,
      message: `${part} knows nothing of it: see the order of parts in oxlint.config.ts.`,
    },
    {
      regex: `${pathsTo(part, domains)}/(.+\\.)?(${innards.join('|')})\\.ts$`,
      message: 'Enter a domain by its operations.',
    },
    {
      unless: knowsHttp,
      regex: '^@?fastify(/|$)',
      message: 'Only routes, .http.ts files, schemas, http/ and server.ts know HTTP.',
    },
    {
      unless: knowsShapes,
      regex: '^typebox(/|$)',
      message:
        'Only verbs, routes, .http.ts files, schemas, events/, http/, server.ts and config.ts check shapes.',
    },
    {
      unless: knowsDriver,
      regex: '^(pg|kysely)(/|$)',
      allowTypeImports: true,
      message: 'Only queries, db/ and work/ know the database driver.',
    },
  ];
  return bans.flatMap(({ unless, ...ban }) => (unless ? [] : [ban]));
}

function importRules(part: string): OxlintOverride[] {
  const rulesOf = (role: Role): DummyRuleMap => ({
    'no-restricted-imports': ['error', { patterns: bansFor(part, role) }],
  });
  if (singleFiles.includes(part)) return [{ files: [`src/${part}.ts`], rules: rulesOf('other') }];
  const roles: Role[] = ['routes', 'http', 'verbs', 'schema', 'queries'];
  return [
    { files: [`src/${part}/**/*.ts`], rules: rulesOf('other') },
    ...roles.map((role) => ({
      files: [`src/${part}/**/${role}.ts`, `src/${part}/**/*.${role}.ts`],
      rules: rulesOf(role),
    })),
  ];
}

// The pages from the bottom up, in the same way. A page imports no other page.
const webFolders = ['api', 'ui', 'analysis', 'charts', 'parts', 'layout', 'pages'];
const apiAlone = { regex: '^(\\.\\./)+(src|test|bench|scripts)/', message: 'The pages know the API alone.' };

function webRules(folder: string): OxlintOverride {
  const later = webFolders.slice(webFolders.indexOf(folder) + 1);
  const hidden =
    folder === 'pages'
      ? {
          regex: '^\\.\\./(\\.\\./)?[a-z]+/',
          message: 'A page imports no other page: move what both need down, see web/README.md.',
        }
      : {
          regex: `^(\\.\\./)+((${later.join('|')})/|[A-Z])`,
          message: `${folder} knows nothing of it: see the order of folders in web/README.md.`,
        };
  return {
    files: [`web/src/${folder}/**`],
    rules: { 'no-restricted-imports': ['error', { patterns: [apiAlone, hidden] }] },
  };
}

const isFast = process.env['RUNCOST_CHECK'] === 'fast';

export default defineConfig({
  plugins: ['eslint', 'typescript', 'unicorn', 'oxc', 'import', 'promise', 'node'],
  ignorePatterns: ['**/node_modules/**'],
  categories: { correctness: 'error', suspicious: 'error', perf: 'error' },
  // The fast half of the check leaves out rules that need types, which take most of its time.
  options: isFast
    ? { denyWarnings: true }
    : { typeAware: true, denyWarnings: true, reportUnusedDisableDirectives: 'error' },
  rules: {
    'import/no-cycle': ['error', { ignoreTypes: false }],
    'max-lines': ['error', { max: 400 }],
    'max-lines-per-function': ['error', { max: 80 }],
    'no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
    'oxc/no-barrel-file': ['error', { threshold: 0 }],
    'typescript/consistent-type-imports': 'error',
    'typescript/no-deprecated': 'error',
    'typescript/no-explicit-any': 'error',
    'typescript/no-floating-promises': [
      'error',
      {
        allowForKnownSafeCalls: [
          { from: 'package', package: 'node:test', name: ['test', 'it', 'describe', 'suite'] },
        ],
      },
    ],
    'typescript/no-misused-promises': 'error',
    'typescript/only-throw-error': 'error',
    'typescript/prefer-promise-reject-errors': 'error',

    'import/no-named-as-default-member': 'off', // fast-check is used as fc.…
    'no-await-in-loop': 'off', // sequential awaits are usually intended
    'oxc/no-async-endpoint-handlers': 'off', // is about Express
    'oxc/no-map-spread': 'off',
    'typescript/consistent-return': 'off', // the compiler checks this
    'typescript/no-unnecessary-type-assertion': 'off', // it removes assertions that inference needs
    'typescript/no-unsafe-type-assertion': 'off',
    'unicorn/consistent-function-scoping': 'off',
    'unicorn/prefer-set-has': 'off',
    'unicorn/require-post-message-target-origin': 'off', // is about browser windows, not worker threads
  },
  overrides: [
    {
      files: ['src/**'],
      rules: {
        'no-console': 'error',
        'no-restricted-globals': [
          'error',
          { name: 'fetch', message: 'Nothing here calls out to the network.' },
        ],
        'node/no-process-env': 'error',
        'import/no-default-export': 'error',
      },
    },
    {
      // The pages know the program by its API alone; styles are imported for their effect.
      files: ['web/**'],
      rules: {
        'import/no-unassigned-import': ['error', { allow: ['**/*.css'] }],
        'no-restricted-imports': ['error', { patterns: [apiAlone] }],
      },
    },
    ...webFolders.map(webRules),
    {
      // The settings are files of the wing itself.
      files: ['web/src/pages/tenancy/*'],
      rules: {
        'no-restricted-imports': [
          'error',
          { patterns: [apiAlone, { regex: '^\\.\\./[a-z]+/', message: 'A page imports no other page.' }] },
        ],
      },
    },
    { files: ['src/main.ts', 'src/{cli,operator}/**'], rules: { 'no-console': 'off' } },
    { files: ['src/config.ts'], rules: { 'node/no-process-env': 'off' } },
    // Commands ask the server that the person chose.
    { files: ['src/cli/{session,webhook}.ts'], rules: { 'no-restricted-globals': 'off' } },
    {
      files: ['src/**'],
      rules: {
        'no-restricted-imports': [
          'error',
          { patterns: [{ regex: '^\\.', message: 'Give this part its place in oxlint.config.ts.' }] },
        ],
      },
    },
    ...parts.flatMap(importRules),
    // A component lists each attribute on a line.
    { files: ['web/**/*.tsx'], rules: { 'max-lines-per-function': ['error', { max: 100 }] } },
    // It is a list of every write.
    { files: ['test/harness/auditedWrites.ts'], rules: { 'max-lines-per-function': 'off' } },
    {
      files: ['test/auditor/*.ts'],
      rules: {
        'no-restricted-imports': [
          'error',
          {
            patterns: [
              {
                regex: '^\\.\\./',
                allowTypeImports: true,
                message: 'The auditor shares nothing but types with what it judges.',
              },
            ],
          },
        ],
      },
    },
    {
      files: ['**/*.test.ts'],
      rules: {
        'max-lines-per-function': 'off',
        'node/no-process-env': 'off',
        'no-restricted-globals': 'off',
        'no-restricted-imports': 'off',
      },
    },
  ],
});
