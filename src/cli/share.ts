import { type Command, Option } from 'commander';
import type { App } from '../app.ts';
import type { Context } from '../context.ts';
import { getOrganization } from '../tenancy/organizations/organizations.ts';
import {
  type Badge,
  badgePeriods,
  createShare,
  listShares,
  type NewShare,
  readSites,
  revokeShare,
  sharedCharts,
  shareLink,
  sharedPages,
  shareView,
  writeBadge,
} from '../tenancy/shares/shares.ts';
import {
  collect,
  type CommonOptions,
  contextFor,
  namingOptions,
  orgOption,
  readName,
  wholeNumber,
  withApp,
} from './command.ts';
import { printJson, printNote, printTable } from './output.ts';

type CreateOptions = CommonOptions & {
  name?: string;
  site: string[];
  page: (typeof sharedPages)[number];
  chart: (typeof sharedCharts)[number];
  days: number;
};

export function addShareCommands(program: Command): void {
  const share = program
    .command('share')
    .description('share links: views of costs, badges and embeds for people without an account');
  share
    .command('list')
    .description('list the working share links')
    .option(...orgOption)
    .option('--json', 'print a JSON array')
    .action((options: CommonOptions) =>
      withApp(async (app) => {
        const links = await listShares(await contextFor(app, options.org));
        if (options.json) return printJson(links.map(shareView));
        if (links.length === 0) return printNote('No share links.');
        printTable(
          ['LINK', 'NAME', 'KIND', 'QUERY', 'BY', 'EXPIRES', 'LAST USED'],
          links.map(({ id, name, kind, query, author, expiresAt, lastUsedAt }) => [
            id,
            name ?? '-',
            kind,
            query,
            author,
            expiresAt?.toISOString() ?? 'never',
            lastUsedAt?.toISOString() ?? 'never',
          ]),
        );
      }),
    );
  share
    .command('create')
    .description('create a share link and print it')
    .argument('<query>', 'the question: the query of GET /api/v1/costs')
    .option(...nameOption)
    .addOption(
      new Option('--page <name>', 'the page whose layout the view uses')
        .choices(sharedPages)
        .default('explore'),
    )
    .addOption(new Option('--chart <kind>', 'how it is drawn').choices(sharedCharts).default('bars'))
    .option('--days <number>', 'days until it expires, at most 90', wholeNumber(1, 90), 7)
    .option(
      '--site <address>',
      'embed it in the pages of this site, such as https://wiki.example.com; repeatable',
      collect,
      [],
    )
    .option(...orgOption)
    .option('--json', 'print the link as JSON')
    .addHelpText('after', help)
    .action((query: string, options: CreateOptions) =>
      withApp(async (app) => {
        const ctx = await contextFor(app, options.org);
        const { name = null, page, chart, days: validDays, site } = options;
        const kind = site.length > 0 ? 'embed' : 'link';
        const { plan } = await getOrganization(ctx);
        // Imported late: it checks the question with a library that other commands do not load.
        const { readShared } = await import('../insight/explore/readShared.ts');
        const question = await namingOptions(async () => readShared(query, { ...ctx, plan }), {
          query: '<query>',
        });
        const sites = kind === 'embed' ? await namingOptions(async () => readSites(site), siteOption) : [];
        const asked = { name, kind, page, chart, query: question, sites, validDays } as const;
        await printCreated(app, ctx, asked, options);
      }),
    );
  addBadge(share);
  share
    .command('revoke')
    .description('revoke a share link')
    .argument('<id>', 'shr_… as `share list` shows it')
    .option(...orgOption)
    .action((id: string, options: CommonOptions) =>
      withApp(async (app) => {
        await revokeShare(await contextFor(app, options.org), id);
        printNote(`Revoked ${id}.`);
      }),
    );
}

const nameOption = ['--name <text>', 'what you call it; its visitors do not see it', readName] as const;
const siteOption = { sites: '--site' };

async function printCreated(app: App, ctx: Context, asked: NewShare, { json }: CommonOptions): Promise<void> {
  const { share, secret } = await createShare(ctx, asked);
  const url = shareLink(app.publicUrl(), secret, share.kind);
  if (json) return printJson({ ...shareView(share), url });
  console.log(url);
  const end = share.expiresAt === null ? 'somebody revokes it' : share.expiresAt.toISOString();
  printNote(`Anyone with the link can see this ${share.kind === 'badge' ? 'amount' : 'view'} until ${end}.`);
}

type BadgeOptions = CommonOptions &
  Omit<Badge, 'repository'> & { name?: string; repo?: string; days?: number };

function addBadge(share: Command): void {
  share
    .command('badge')
    .description('create an image with what CI cost, for a README, and print its address')
    .option(...nameOption)
    .addOption(new Option('--period <name>', 'which costs').choices(badgePeriods).default('month'))
    .option('--label <text>', 'text before the amount', readName)
    .option('--repo <name>', 'only this repository: owner/name')
    .option('--team <name>', 'only this team')
    .option('--days <number>', 'days until it expires, at most 90; without it never', wholeNumber(1, 90))
    .option(...orgOption)
    .option('--json', 'print the badge as JSON')
    .action(({ name, period, label, repo, team, days, ...options }: BadgeOptions) =>
      withApp(async (app) => {
        const ctx = await contextFor(app, options.org);
        const badge = {
          ...(period && { period }),
          ...(label !== undefined && { label }),
          ...(repo !== undefined && { repository: repo }),
          ...(team !== undefined && { team }),
        };
        const query = await namingOptions(async () => writeBadge(badge), { 'badge.team': '--team' });
        const look = { page: 'overview', chart: 'bars', sites: [] } as const;
        const asked = { name: name ?? null, kind: 'badge', ...look, query, validDays: days ?? null } as const;
        await printCreated(app, ctx, { ...asked, sites: [] }, options);
      }),
    );
}

const help = `
Example:
  runcost share create 'days=30&group_by=repository&granularity=day' --days 30
`;
