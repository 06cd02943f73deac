import { type Command, Option } from 'commander';
import { getOrganization } from '../tenancy/organizations/organizations.ts';
import {
  createShare,
  listShares,
  revokeShare,
  sharedCharts,
  shareLink,
  sharedPages,
  shareView,
} from '../tenancy/shares/shares.ts';
import { type CommonOptions, contextFor, namingOptions, orgOption, wholeNumber, withApp } from './command.ts';
import { printJson, printNote, printTable } from './output.ts';

type CreateOptions = CommonOptions & {
  page: (typeof sharedPages)[number];
  chart: (typeof sharedCharts)[number];
  days: number;
};

export function addShareCommands(program: Command): void {
  const share = program.command('share').description('read-only links to one view of costs');
  share
    .command('list')
    .description('list the links that work')
    .option(...orgOption)
    .option('--json', 'print a JSON array')
    .action((options: CommonOptions) =>
      withApp('share list', async (app) => {
        const links = await listShares(await contextFor(app, options.org));
        if (options.json) return printJson(links.map(shareView));
        if (links.length === 0) return printNote('No share links.');
        printTable(
          ['LINK', 'PAGE', 'QUERY', 'BY', 'EXPIRES', 'LAST USED'],
          links.map(({ id, page, query, author, expiresAt, lastUsedAt }) => [
            ...[id, page, query, author, expiresAt.toISOString()],
            lastUsedAt?.toISOString() ?? 'never',
          ]),
        );
      }),
    );
  share
    .command('create')
    .description('create a link, and print its address')
    .argument('<query>', 'the question: the query of GET /api/v1/costs')
    .addOption(
      new Option('--page <name>', 'the page whose look it has').choices(sharedPages).default('explore'),
    )
    .addOption(new Option('--chart <kind>', 'how it is drawn').choices(sharedCharts).default('bars'))
    .option('--days <number>', 'days until it expires, at most 90', wholeNumber(1, 90), 7)
    .option(...orgOption)
    .option('--json', 'print the link as JSON')
    .addHelpText('after', help)
    .action((query: string, options: CreateOptions) =>
      withApp('share create', async (app) => {
        const ctx = await contextFor(app, options.org);
        const { page, chart, days: validDays } = options;
        const { plan } = await getOrganization(ctx);
        // Checks the shape of the question, with a library that other commands do not load.
        const { readShared } = await import('../insight/explore/readShared.ts');
        const question = await namingOptions(async () => readShared(query, { ...ctx, plan }), {
          'body.query': '<query>',
        });
        const { share: made, secret } = await createShare(ctx, { page, chart, query: question, validDays });
        const url = shareLink(app.publicUrl(), secret);
        if (options.json) return printJson({ ...shareView(made), url });
        console.log(url);
        printNote(`Whoever has the link sees this view until ${made.expiresAt.toISOString()}.`);
      }),
    );
  share
    .command('revoke')
    .description('revoke a link')
    .argument('<id>', 'shr_… as `share list` shows it')
    .option(...orgOption)
    .action((id: string, options: CommonOptions) =>
      withApp('share revoke', async (app) => {
        await revokeShare(await contextFor(app, options.org), id);
        printNote(`Revoked ${id}.`);
      }),
    );
}

const help = `
Example:
  runcost share create 'days=30&group_by=repository&granularity=day' --days 30
`;
