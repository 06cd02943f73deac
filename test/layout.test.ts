/** Compares `src/README.md` and the wings' READMEs with the files. */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { movedText } from '../scripts/operations.ts';

const folder = fileURLToPath(new URL('../src', import.meta.url));
const files = globSync('**/*.ts', { cwd: folder }).filter((name) => !/\.(test|d)\.ts$/.test(name));
const read = (name: string) => readFileSync(join(folder, name), 'utf8');

/** Files of these names may be short, because their names say what they may import. */
const roles = /(^|[/.])(routes|http|verbs|schema|queries|tables|audited)\.ts$/;
const fewLines = 60;

test('the table of wings has each folder, with its README', () => {
  const wings = new Set(files.filter((name) => name.includes('/')).map((name) => name.split('/')[0]!));
  const rows = [...read('README.md').matchAll(/^\| \[`(\w+)`\]\((\w+\/README\.md)\)/gm)];
  wings.delete('demo'); // below the table
  assert.deepEqual(new Set(rows.map(([, wing]) => wing)), wings);
  assert.deepEqual(
    rows.map(([, , readme]) => readme),
    rows.map(([, wing]) => `${wing}/README.md`),
  );
});

test('every file that src/README.md names outside of its walks is there', () => {
  const others = read('README.md').replace(/## Walks\n[^]*?\n## /, '');
  const named = [...others.matchAll(/`((?:web\/src|[a-z]+)\/[\w./]+\.tsx?)`/g)].map(([, name]) => name!);
  assert.ok(named.length > 10);
  const missing = named.filter(
    (name) => ![folder, join(folder, '..')].some((at) => existsSync(join(at, name))),
  );
  assert.deepEqual(missing, []);
});

/** They know the parts of a request. */
const adapters = /^platform\/http\/|(^|[/.])(routes|http|schema)\.ts$/;

test('only adapters say whether a field is in the body or the query', () => {
  const comments = /\/\*[^]*?\*\/|^ *\/\/.*$/gm;
  const others = files.filter((name) => !adapters.test(name));
  const saying = others.filter((name) => /['"`](body|query)\./.test(read(name).replaceAll(comments, '')));
  assert.deepEqual(saying, []);
});

const reasons: Record<string, string> = {
  'main.ts': 'the program starts here',
  'specRoutes.ts': 'the list of what the specification names, which a test compares with the API',
  'cli/annotation.ts': 'the commands of a noun',
  'cli/mcp.ts': 'a command of its own',
  'cli/moves.ts': 'the commands of a noun',
  'cli/scheduledExport.ts': 'the commands of a noun',
  'cli/share.ts': 'the commands of a noun',
  'demo/pullRequests.ts': 'says what became of the pull requests of the demo',
  'estimateThread.ts': 'a thread starts from a file of its own',
  'insight/estimates/cron.ts': 'only the syntax of schedules',
  'insight/scheduledExports/planUploads.ts': 'the worker plans periods; requests only change what is planned',
  'insight/waste/verifyWaste.ts': 'only `runcost verify` adds up what is already summed',
  'intake/gitHubApps/findPullRequest.ts': 'one question to GitHub, as `writeReport.ts` is another',
  'intake/providers/generic/provider.ts': 'every provider has this file',
  'intake/providers/github/listedRunners.ts': 'what GitHub lists, as `runners.ts` is what its labels say',
  'intake/providers/github/rateHints.ts': 'reads the files of other companies',
  'intake/providers/gitlab/includePath.ts': 'imports nothing, because programs in `action` use it, too',
  'ledger/costs/rateHints.ts': 'finds the labels that hints are about',
  'ledger/runs/changePrices.ts': 'what reprices may write',
  'ledger/runs/fillFacts.ts': 'a poller',
  'ledger/runs/receiptText.ts': 'the only markdown in the ledger',
  'operator/distribute.ts': 'a command of its own',
  'operator/organization.ts': 'the commands of a noun',
  'outreach/channels/discord/discord.ts': 'every kind of channel has this file',
  'outreach/channels/email/png.ts': 'loads a native library, only when an email with a chart is sent',
  'outreach/channels/kinds.ts': 'the list of kinds',
  'outreach/channels/webhook/webhook.ts': 'every kind of channel has this file',
  'outreach/notifications/email/invitation.ts': 'the words of one message',
  'outreach/notifications/sendThroughChannel.ts': 'a channel may change while a message waits',
  'platform/db/sizes.ts': 'SQL for metrics',
  'platform/http/apiTags.ts': 'the order of the API document',
  'platform/http/drawWorker.ts': 'the thread of `drawnPages.ts`',
  'platform/http/queryNames.ts': 'one rule for the queries of all routes',
  'platform/http/movedPages.ts': 'the scripts write it for the pages, too',
  'platform/http/proxies.ts': 'knows requests of this machine from those of others',
  'platform/telemetry/scrape.ts': 'reads the metrics of the database',
  'platform/work/hold.ts': 'wraps pollers',
  'tenancy/identity/page.ts': 'explains a failed sign-in before the pages load',
  'tenancy/sessions/browserName.ts': 'reads what browsers call themselves',
};

test('each short file with one importer has a reason, and no other file has one', () => {
  const importers = new Map<string, number>();
  for (const name of files) {
    for (const [, path] of read(name).matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)) {
      const target = normalize(join(dirname(name), path!));
      importers.set(target, (importers.get(target) ?? 0) + 1);
    }
  }
  const small = files.filter(
    (name) =>
      !roles.test(name) &&
      (importers.get(name) ?? 0) <= 1 &&
      read(name).trimEnd().split('\n').length < fewLines,
  );
  assert.deepEqual(small.toSorted(), Object.keys(reasons).toSorted());
});

test('the pages know old addresses as the server does', () => {
  const written = readFileSync(new URL('../web/src/api/movedPages.ts', import.meta.url), 'utf8');
  assert.equal(written, movedText(), 'npm run api-types writes it');
});

test('code that a page loads late follows the order of its folders, and loads nothing that loads it', () => {
  const pages = fileURLToPath(new URL('../web/src', import.meta.url));
  const order = ['api', 'ui', 'analysis', 'charts', 'parts', 'layout', 'pages'];
  const rank = (name: string) => (name.includes('/') ? order.indexOf(name.split('/')[0]!) : order.length);
  const pageOf = (name: string) => (name.startsWith('pages/') ? dirname(name) : '');
  const loads = new Map(
    globSync('**/*.{ts,tsx}', { cwd: pages })
      .filter((name) => !/\.(test|d)\.tsx?$/.test(name))
      .map((name) => {
        const found = readFileSync(join(pages, name), 'utf8').matchAll(/(?:from |import\(\s*)'(\.[^']+)'/g);
        return [name, [...found].map(([, path]) => normalize(join(dirname(name), path!)))];
      }),
  );
  const upward = [...loads].flatMap(([name, all]) =>
    all
      .filter(
        (each) => rank(each) > rank(name) || (pageOf(name) && pageOf(each) && pageOf(name) !== pageOf(each)),
      )
      .map((each) => `${name} loads ${each}`),
  );
  assert.deepEqual(upward, []);
  const reaches = (from: string, to: string, seen: Set<string>): boolean =>
    (loads.get(from) ?? []).some(
      (each) => each === to || (!seen.has(each) && !!seen.add(each) && reaches(each, to, seen)),
    );
  assert.deepEqual(
    [...loads.keys()].filter((name) => reaches(name, name, new Set())),
    [],
  );
});
