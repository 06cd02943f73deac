import { Option, type Command } from 'commander';
import type { App } from '../app.ts';
import type { Context } from '../context.ts';
import { datasetNames, formatNames } from '../insight/exports/datasets.ts';
import { frequencies } from '../insight/scheduledExports/periods.ts';
import {
  createScheduledExport,
  deleteScheduledExport,
  listScheduledExports,
  testScheduledExport,
  updateScheduledExport,
  type ScheduledExport,
  type ScheduledExportChanges,
  type ScheduledExportInput,
} from '../insight/scheduledExports/scheduledExports.ts';
import { listUploads, repeatUpload } from '../insight/scheduledExports/uploads.ts';
import { scheduledExportView, uploadView } from '../insight/scheduledExports/views.ts';
import { invalid, PublicError } from '../platform/lib/errors.ts';
import {
  contextFor,
  limitOption,
  namingOptions,
  orgOption,
  withApp,
  type CommonOptions,
  type ListOptions,
} from './command.ts';
import { printJson, printNote, printTable } from './output.ts';

export function addScheduledExportCommands(program: Command): void {
  const scheduled = program
    .command('scheduled-export')
    .description('exports of each day, week or month, uploaded to a storage with the API of Amazon S3');
  addList(scheduled);
  addCreate(scheduled);
  addUpdate(scheduled);
  addTest(scheduled);
  addUploads(scheduled);
  addRepeat(scheduled);
  scheduled
    .command('delete')
    .description('delete a scheduled export; files in the storage stay')
    .argument('<id>', idText)
    .option(...orgOption)
    .action((id: string, options: CommonOptions) =>
      withApp(async (app) => {
        await deleteScheduledExport(await contextFor(app, options.org), id);
        printNote(`Deleted ${id}.`);
      }),
    );
}

const idText = 'sxp_… as `scheduled-export list` shows it';
const secretName = 'STORAGE_SECRET_KEY';
const inOptions = {
  access_key_id: '--access-key',
  secret_access_key: secretName,
  path_style: '--path-style',
};

function addList(scheduled: Command): void {
  scheduled
    .command('list')
    .description('list the scheduled exports')
    .option(...orgOption)
    .option('--json', 'print a JSON array')
    .action((options: CommonOptions) =>
      withApp(async (app) => {
        const ctx = await contextFor(app, options.org);
        const rows = await listScheduledExports(ctx);
        if (options.json)
          return printJson(await Promise.all(rows.map((row) => scheduledExportView(ctx, row))));
        if (rows.length === 0) return printNote('No scheduled exports yet.');
        printTable(
          ['SCHEDULED EXPORT', 'WHAT', 'FREQUENCY', 'TO', 'NEXT'],
          rows.map((row) => [
            row.id,
            `${row.dataset}, ${row.format}`,
            row.frequency,
            targetOf(row),
            row.enabled ? row.nextAt.toISOString() : 'off',
          ]),
        );
      }),
    );
}

function targetOf({ endpoint, bucket, prefix }: ScheduledExport): string {
  return [endpoint, bucket, prefix].filter(Boolean).join('/');
}

type Fields = {
  dataset?: ScheduledExport['dataset'];
  format?: ScheduledExport['format'];
  frequency?: ScheduledExport['frequency'];
  endpoint?: string;
  region?: string;
  bucket?: string;
  prefix?: string;
  accessKey?: string;
  pathStyle?: boolean;
};

/** Options of a destination and its schedule. They are required to create one. */
function withFields(command: Command, isRequired: boolean): Command {
  const options = [
    new Option('--dataset <name>', 'what the rows are').choices(datasetNames),
    new Option('--frequency <word>', 'how often, and about which period').choices(frequencies),
    new Option('--endpoint <url>', 'address of the storage, such as https://s3.eu-central-1.amazonaws.com'),
    new Option('--bucket <name>', 'where the files go'),
    new Option('--access-key <id>', `id of the access key; its secret key comes from ${secretName}`),
  ];
  for (const option of options) command.addOption(option.makeOptionMandatory(isRequired));
  const format = new Option('--format <name>', 'file format').choices(formatNames);
  return command
    .addOption(isRequired ? format.default('csv') : format)
    .option('--region <name>', 'region of the storage', isRequired ? 'us-east-1' : undefined)
    .option('--prefix <text>', 'what the names of the files begin with');
}

function fieldsOf(
  { accessKey, pathStyle, ...fields }: Fields,
  secret: string | null,
): ScheduledExportChanges {
  const { dataset, format, frequency, endpoint, region, bucket, prefix } = fields;
  const given = { dataset, format, frequency, endpoint, region, bucket, prefix };
  return {
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
    ...(accessKey !== undefined && { access_key_id: accessKey }),
    ...(secret !== null && { secret_access_key: secret }),
    ...(pathStyle !== undefined && { path_style: pathStyle }),
  };
}

async function printWritten(
  app: App,
  { org, json = false }: CommonOptions,
  write: (ctx: Context) => Promise<ScheduledExport>,
): Promise<void> {
  const ctx = await contextFor(app, org);
  const written = await namingOptions(() => write(ctx), inOptions);
  if (json) return printJson(await scheduledExportView(ctx, written));
  console.log(written.id);
  printNote(written.enabled ? `Next: ${written.nextAt.toISOString()}.` : 'It is off.');
}

function addCreate(scheduled: Command): void {
  const create = scheduled.command('create').description('upload an export of each day, week or month');
  withFields(create, true)
    .option('--no-path-style', 'name the bucket in the host of the address, not in its path')
    .option(...orgOption)
    .option('--json', 'print the scheduled export as JSON')
    .action((options: CommonOptions & Fields) =>
      withApp(async (app) => {
        const secret = app.config.storageSecretKey;
        if (secret === null) throw invalid(secretName, 'is required: the secret key of the access key');
        const input = fieldsOf(options, secret) as ScheduledExportInput;
        await printWritten(app, options, (ctx) => createScheduledExport(ctx, input));
      }),
    );
}

function addUpdate(scheduled: Command): void {
  const update = scheduled
    .command('update')
    .description(
      `change a scheduled export, or turn it on or off; with --access-key, ${secretName} replaces its secret key`,
    )
    .argument('<id>', idText);
  withFields(update, false)
    .option('--path-style', 'name the bucket in the path of the address')
    .option('--no-path-style', 'name it in the host')
    .option('--on', 'upload what ends from now on')
    .addOption(new Option('--off', 'do not upload what ends').conflicts('on'))
    .option(...orgOption)
    .option('--json', 'print the scheduled export as JSON')
    .action((id: string, { on, off, ...options }: CommonOptions & Fields & { on?: boolean; off?: boolean }) =>
      withApp(async (app) => {
        const changes = {
          // The environment's key may be for another destination.
          ...fieldsOf(options, options.accessKey === undefined ? null : app.config.storageSecretKey),
          ...((on || off) && { enabled: on === true }),
        };
        await printWritten(app, options, (ctx) => updateScheduledExport(ctx, id, changes));
      }),
    );
}

function addTest(scheduled: Command): void {
  scheduled
    .command('test')
    .description('write a small file to the storage')
    .argument('<id>', idText)
    .option(...orgOption)
    .action((id: string, options: CommonOptions) =>
      withApp(async (app) => {
        const { location, error } = await testScheduledExport(await contextFor(app, options.org), id);
        if (error !== null) throw new PublicError('unavailable', 'storage_failed', error);
        printNote(`Wrote ${location}.`);
      }),
    );
}

function addUploads(scheduled: Command): void {
  scheduled
    .command('uploads')
    .description('list the uploads, with what failed')
    .option(...limitOption('uploads'))
    .option(...orgOption)
    .option('--json', 'print a JSON array')
    .action((options: ListOptions) =>
      withApp(async (app) => {
        const ctx = await contextFor(app, options.org);
        const { uploads } = await listUploads(ctx, { page: 1, perPage: options.limit });
        const views = uploads.map(uploadView);
        if (options.json) return printJson(views);
        if (views.length === 0) return printNote('No uploads yet.');
        printTable(
          ['UPLOAD', 'FILE', 'STATUS', 'NEXT ATTEMPT', 'ERROR'],
          views.map(({ id, location, file_name: name, status, next_attempt_at: next, error }) => [
            id,
            location ?? name,
            next === null ? status : 'waiting',
            next?.toISOString() ?? '',
            error ?? '',
          ]),
        );
      }),
    );
}

function addRepeat(scheduled: Command): void {
  scheduled
    .command('repeat')
    .description('retry a waiting upload now, or repeat an ended one')
    .argument('<id>', 'upl_… as `scheduled-export uploads` shows it')
    .option(...orgOption)
    .action((id: string, options: CommonOptions) =>
      withApp(async (app) => {
        const upload = await repeatUpload(await contextFor(app, options.org), id);
        console.log(upload.id);
        printNote('The server uploads it.');
      }),
    );
}
