import type { Command } from 'commander';
import type { App } from '../app.ts';
import type { GitLabConnection, GitLabContext, GitLabPlaces } from '../intake/gitLabWebhooks/connect.ts';
import type { GitLabAccess } from '../intake/gitLabWebhooks/gitLabClient.ts';
import { invalid } from '../platform/lib/errors.ts';
import { contextFor, namingOptions, orgOption, withApp } from './command.ts';
import { printJson, printNote, printTable } from './output.ts';

type GitLabOptions = { path?: string; address: string; org?: string; json?: boolean };

const help = `
It uses GITLAB_TOKEN: an access token of the group or project, or your own, with the scope api and the role Owner, or
Maintainer for webhooks of projects. Runcost does not keep the token. If the plan has no group webhooks, each project gets one.
Running the command again changes the same webhooks.

Examples:
  GITLAB_TOKEN=glpat-… runcost connect gitlab
  GITLAB_TOKEN=glpat-… runcost connect gitlab --path acme --address https://gitlab.acme.example
`;

export function addConnectCommands(program: Command): void {
  program
    .command('connect')
    .description('connect a provider')
    .command('gitlab')
    .description('add a webhook to a group or project at GitLab, with a token')
    .option('--path <path>', 'group or project; optional while the token reaches only one')
    .option('--address <url>', 'address of GitLab', 'https://gitlab.com')
    .option(...orgOption)
    .option('--json', 'print the source and its webhooks as JSON')
    .addHelpText('after', help)
    .action((options: GitLabOptions) => withApp((app) => run(app, options)));
}

async function run(app: App, options: GitLabOptions): Promise<void> {
  const { gitLabToken: token } = app.config;
  if (token === null) throw invalid('GITLAB_TOKEN', 'is required: the token that adds the webhook');
  const { publicUrl } = app;
  const ctx = { ...(await contextFor(app, options.org)), publicUrl };
  const access = { address: options.address, token };
  const connection = await namingOptions(() => connect(ctx, access, options.path), {
    token: 'GITLAB_TOKEN',
  });
  if (options.json) return printJson(connection);
  const { source_id: sourceId, test_event: testEvent, webhooks } = connection;
  printTable(
    ['PATH', 'WEBHOOK', 'WHY'],
    webhooks.map(({ path, result, error }) => [path, result, error ?? '']),
  );
  const failed = webhooks.filter(({ result }) => result === 'failed').length;
  if (failed > 0) process.exitCode = 1;
  if (sourceId !== null) printNote(`Their events go to ${sourceId}.`);
  if (testEvent) printNote(wordsOf(testEvent));
}

async function connect(ctx: GitLabContext, access: GitLabAccess, asked: string | undefined) {
  const gitLab = await import('../intake/gitLabWebhooks/connect.ts');
  const path = asked ?? onlyOne(await gitLab.findGitLabPlaces(ctx, access));
  const ask = (page: number, sourceId: string | null) =>
    gitLab.connectGitLab(ctx, access, { path, page, sourceId });
  const whole = await ask(1, null);
  for (let { nextPage } = whole; nextPage !== null;) {
    const next = await ask(nextPage, whole.sourceId);
    whole.sourceId ??= next.sourceId;
    whole.testEvent ??= next.testEvent;
    whole.webhooks.push(...next.webhooks);
    nextPage = next.nextPage;
    printNote(`${whole.webhooks.length}${whole.projects === null ? '' : ` of ${whole.projects}`} projects`);
  }
  return gitLab.gitLabConnectionView({ ...whole, nextPage: null });
}

function onlyOne({ groups, projects, isCut }: GitLabPlaces): string {
  const [only, ...others] = [...groups, ...projects];
  if (only === undefined)
    throw invalid('--path', 'is required: the token is a Maintainer of no group or project');
  if (others.length === 0) return only;
  const some = [only, ...others].slice(0, 20).join(', ');
  const more = isCut || others.length >= 20 ? ', …' : '';
  throw invalid('--path', `is required: the token reaches ${some}${more}`);
}

function wordsOf({ result, reason }: NonNullable<GitLabConnection['testEvent']>): string {
  if (result === 'sent') return 'GitLab sent its last pipeline as a test, and it arrived.';
  if (result === 'not_offered')
    return 'This GitLab sends no test events. The next pipeline is the first event.';
  return `GitLab sent no test event: ${reason}`;
}
