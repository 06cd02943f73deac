import { Option, type Command } from 'commander';
import type { App } from '../app.ts';
import {
  createDigest,
  deleteDigest,
  listDigests,
  updateDigest,
  warningsOf,
  type Digest,
  type DigestInput,
} from '../outreach/digests/digests.ts';
import { figuresView } from '../outreach/digests/message.ts';
import { previewDigest, sendDigestNow } from '../outreach/digests/preview.ts';
import { frequencies, type Frequency } from '../outreach/digests/slots.ts';
import { digestView } from '../outreach/digests/views.ts';
import { PublicError } from '../platform/lib/errors.ts';
import { collect, contextFor, namingOptions, orgOption, withApp, type CommonOptions } from './command.ts';
import { printJson, printNote, printTable } from './output.ts';

export function addDigestCommands(program: Command): void {
  const digest = program
    .command('digest')
    .description('costs of each week or month by email and chat, for the organization or a team');
  addList(digest);
  addCreate(digest);
  addUpdate(digest);
  addPreview(digest);
  addSend(digest);
  digest
    .command('delete')
    .description('delete a digest')
    .argument('<id>', idText)
    .option(...orgOption)
    .action((id: string, options: CommonOptions) =>
      withApp(async (app) => {
        await deleteDigest(await contextFor(app, options.org), id);
        printNote(`Deleted ${id}.`);
      }),
    );
}

const idText = 'dig_… as `digest list` shows it';
const inOptions = { recipients: '--to', team: '--team', frequency: '--frequency' };

async function digestContext(app: App, orgId: string | undefined) {
  return { ...app, ...(await contextFor(app, orgId)) };
}

function addList(digest: Command): void {
  digest
    .command('list')
    .description('list the digests to addresses and to the chat')
    .option(...orgOption)
    .option('--json', 'print a JSON array')
    .action((options: CommonOptions) =>
      withApp(async (app) => {
        const ctx = await digestContext(app, options.org);
        const digests = await listDigests(ctx);
        if (options.json) return printJson(await Promise.all(digests.map((each) => digestView(ctx, each))));
        if (digests.length === 0) return printNote('No digests yet. `digest preview` shows what one says.');
        printTable(
          ['DIGEST', 'FREQUENCY', 'COSTS OF', 'TO', 'NEXT'],
          digests.map((each) => [
            each.id,
            each.frequency,
            each.team === null ? 'all' : `team ${each.team}`,
            receiversOf(each),
            each.enabled ? each.nextAt.toISOString() : 'off',
          ]),
        );
      }),
    );
}

function receiversOf({ recipients, chat }: Digest): string {
  const people = recipients.map(({ address, unsubscribedAt }) =>
    unsubscribedAt === null ? address : `${address} (unsubscribed)`,
  );
  return [...people, ...(chat ? ['the chat'] : [])].join(', ') || 'nobody';
}

type CreateOptions = CommonOptions & { frequency: Frequency; team?: string; to: string[]; chat?: boolean };

function frequencyOption() {
  return new Option('--frequency <word>', 'how often, and about which period').choices(frequencies);
}

function addCreate(digest: Command): void {
  digest
    .command('create')
    .description('send a digest to addresses and to the chat')
    .addOption(frequencyOption().default('weekly'))
    .option('--team <name>', 'only the costs of this team')
    .option('--to <email>', 'address to send it to; repeatable', collect, [])
    .option('--chat', "post it to the organization's chat webhook")
    .option(...orgOption)
    .option('--json', 'print the digest as JSON')
    .action(({ frequency, team, to, chat = false, ...options }: CreateOptions) =>
      withApp(async (app) => {
        const ctx = await digestContext(app, options.org);
        const input: DigestInput = {
          frequency,
          team: team ?? null,
          is_personal: false,
          recipients: to,
          chat,
        };
        await printWritten(ctx, options, () => createDigest(ctx, input));
      }),
    );
}

async function printWritten(
  ctx: Awaited<ReturnType<typeof digestContext>>,
  { json = false }: CommonOptions,
  write: () => Promise<Digest>,
): Promise<void> {
  const written = await namingOptions(write, inOptions);
  if (json) return printJson(await digestView(ctx, written));
  console.log(written.id);
  printNote(written.enabled ? `Next: ${written.nextAt.toISOString()}.` : 'It is off.');
  for (const warning of await warningsOf(ctx, written)) printNote(warning);
}

type UpdateOptions = CommonOptions & {
  frequency?: Frequency;
  team?: string;
  to: string[];
  chat?: boolean;
  on?: boolean;
  off?: boolean;
};

function addUpdate(digest: Command): void {
  digest
    .command('update')
    .description('change a digest, or turn it on or off')
    .argument('<id>', idText)
    .addOption(frequencyOption())
    .option('--team <name>', 'only the costs of this team; an empty name for all')
    .option('--to <email>', 'address to send it to, in place of the current ones; repeatable', collect, [])
    .option('--chat', "post it to the organization's chat webhook")
    .option('--no-chat', 'do not post it')
    .option('--on', 'send it')
    .addOption(new Option('--off', 'do not send it').conflicts('on'))
    .option(...orgOption)
    .option('--json', 'print the digest as JSON')
    .action((id: string, { frequency, team, to, chat, on, off, ...options }: UpdateOptions) =>
      withApp(async (app) => {
        const ctx = await digestContext(app, options.org);
        const changes = {
          ...(frequency && { frequency }),
          ...(team !== undefined && { team: team || null }),
          ...(to.length > 0 && { recipients: to }),
          ...(chat !== undefined && { chat }),
          ...((on || off) && { enabled: on === true }),
        };
        await printWritten(ctx, options, () => updateDigest(ctx, id, changes));
      }),
    );
}

type PreviewOptions = CommonOptions & { frequency: Frequency; team?: string; html?: boolean };

function addPreview(digest: Command): void {
  digest
    .command('preview')
    .description('show what a digest of the latest whole week or month says; nothing is sent')
    .addOption(frequencyOption().default('weekly'))
    .option('--team <name>', 'only the costs of this team')
    .option('--html', 'print the email as HTML')
    .option(...orgOption)
    .option('--json', 'print the data of GET /api/v1/digests/preview')
    .action(({ frequency, team, html, ...options }: PreviewOptions) =>
      withApp(async (app) => {
        const ctx = await digestContext(app, options.org);
        const preview = () => previewDigest(ctx, { frequency, team: team ?? null });
        const { figures, email } = await namingOptions(preview, inOptions);
        if (options.json) return printJson({ ...figuresView(figures), ...email });
        console.log(html ? email.html : `${email.subject}\n\n${email.text.trimEnd()}`);
      }),
    );
}

function addSend(digest: Command): void {
  digest
    .command('send')
    .description('send a digest now, to one member; its schedule stays')
    .argument('<id>', idText)
    .requiredOption('--to <email>', 'address of a member')
    .option(...orgOption)
    .action((id: string, options: CommonOptions & { to: string }) =>
      withApp(async (app) => {
        const { error } = await sendDigestNow(await digestContext(app, options.org), id, options.to);
        if (error !== null) throw new PublicError('unavailable', 'email_failed', error);
        printNote(`Sent to ${options.to}.`);
      }),
    );
}
