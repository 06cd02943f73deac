import { Option, type Command } from 'commander';
import {
  acknowledgeTrigger,
  createAlert,
  listTriggers,
  updateAlert,
  warningsOf,
  type AlertSettings,
} from '../outreach/alerts/alerts.ts';
import { alertTypeNames, alertTypes, readThreshold } from '../outreach/alerts/alertTypes.ts';
import { reachedShares } from '../outreach/alerts/crossShares.ts';
import { scopeTypes, type Scope } from '../outreach/alerts/scope.ts';
import { alertView, triggerView } from '../outreach/alerts/views.ts';
import type { NotificationContext } from '../outreach/notifications/context.ts';
import { dayOf } from '../platform/lib/days.ts';
import { invalid, notFound, PublicError } from '../platform/lib/errors.ts';
import { collect, contextFor, namingOptions, orgOption, withApp, type CommonOptions } from './command.ts';
import { printJson, printNote } from './output.ts';

export type RuleOptions = {
  type: AlertSettings['alert_type'];
  threshold: string;
  frequency: NonNullable<AlertSettings['check_frequency']>;
  period?: NonNullable<AlertSettings['period']>;
  scope: string[];
};

const thresholdUnits = Object.values(alertTypes)
  .map(({ schema: { unit, noun } }) => `${unit} of ${noun}`)
  .join(', ');

export function addRuleOptions(command: Command): Command {
  return command
    .addOption(new Option('--type <type>', 'type').choices(alertTypeNames).makeOptionMandatory())
    .requiredOption('--threshold <amount>', thresholdUnits)
    .addOption(
      new Option('--frequency <word>', 'how often to check')
        .choices(['daily', 'weekly', 'monthly'])
        .default('daily'),
    )
    .addOption(
      new Option('--period <word>', 'period of a budget; month by default').choices(['day', 'week', 'month']),
    )
    .option(
      '--scope <type=value>',
      'only repository, workflow, branch or team; repository beside branch',
      collect,
      [],
    );
}

/** Throws `invalid_request` with the name of the option. */
export function readRule({ type, threshold, frequency, period, scope }: RuleOptions) {
  if (period !== undefined && !alertTypes[type].isByPeriod)
    throw invalid('--period', `is only for a budget: leave it out with --type ${type}`);
  return {
    alert_type: type,
    threshold_amount: amountOf(threshold, type),
    check_frequency: frequency,
    period: period ?? ('month' as const),
    scope: scopeOf(scope),
  };
}

function amountOf(text: string, type: AlertSettings['alert_type']): number {
  const amount = Number(text);
  const { maxThreshold } = alertTypes[type].schema;
  try {
    if (amount > 0 && readThreshold(amount, type)) return amount;
  } catch (error) {
    if (!(error instanceof PublicError)) throw error;
  }
  throw invalid(
    '--threshold',
    `must be a number above 0 and up to ${maxThreshold}, with at most nine decimals`,
  );
}

function scopeOf(texts: readonly string[]): Scope {
  const parts = new Map(texts.map((text) => [text.split('=', 1)[0]!, text.slice(text.indexOf('=') + 1)]));
  const names = scopeTypes.filter((name) => name !== 'organization');
  for (const text of texts) {
    if (!text.includes('=') || !names.some((name) => text.startsWith(`${name}=`)))
      throw invalid('--scope', `must be one of ${names.join(', ')}, = and its name; "${text}" is not`);
  }
  const repository = parts.get('repository');
  const branch = parts.get('branch');
  if (branch !== undefined && repository !== undefined && parts.size === 2)
    return { type: 'branch', value: branch, repository };
  const [only, ...others] = parts;
  if (others.length > 0 || parts.size < texts.length)
    throw invalid('--scope', 'must be given once, or twice for a branch of a repository');
  return only ? { type: only[0] as Scope['type'], value: only[1] } : { type: 'organization' };
}

const inOptions = {
  'body.scope.value': '--scope',
  'body.scope.repository': '--scope',
  'body.recipients': '--recipient',
  'body.snoozed_until': '--until',
};

export function namingAlertOptions<T>(work: () => Promise<T>): Promise<T> {
  return namingOptions(work, inOptions);
}

type CreateOptions = RuleOptions &
  CommonOptions & { name: string; recipient: string[]; email: boolean; chat: boolean };

export function addChanges(alert: Command): void {
  addRuleOptions(
    alert.command('create').description('create an alert').requiredOption('--name <name>', 'name'),
  )
    .option(
      '--recipient <email>',
      'email it to this address instead of owners and admins; can be repeated',
      collect,
      [],
    )
    .option('--no-email', 'send no emails')
    .option('--no-chat', 'do not notify the chat webhook')
    .option(...orgOption)
    .option('--json', 'print the alert as JSON')
    .action((options: CreateOptions) =>
      withAlerts(options.org, async (ctx) => {
        const { name, recipient: recipients, email, chat } = options;
        const settings = { name, recipients, notify_email: email, notify_chat: chat, ...readRule(options) };
        const created = await createAlert(ctx, settings);
        if (options.json) return printJson(await alertView(ctx, created));
        console.log(created.id);
        const reached = reachedShares(created, dayOf(ctx.clock.now()));
        const percentages = reached.map(({ percentage }) => `${percentage}%`).join(', ');
        if (percentages) printNote(`Already reached: ${percentages}. Webhooks get cost.threshold for each.`);
        for (const warning of await warningsOf(ctx, created)) printNote(warning);
      }),
    );

  alert
    .command('snooze')
    .description('notify nobody of an alert until a time; it is still checked')
    .argument('<id>', 'id of the alert, as `alert list` shows it')
    .addOption(new Option('--until <time>', 'such as 2026-12-01T08:00:00Z').conflicts('end'))
    .option('--end', 'end the snooze now')
    .option(...orgOption)
    .option('--json', 'print the alert as JSON')
    .action((id: string, options: CommonOptions & { until?: string; end?: boolean }) =>
      withAlerts(options.org, async (ctx) => {
        if (options.until === undefined && !options.end)
          throw invalid('--until', 'is missing, and so is --end');
        const { alert: changed } = await updateAlert(ctx, id, { snoozed_until: options.until ?? null });
        if (options.json) return printJson(await alertView(ctx, changed));
        const until = changed.snoozedUntil;
        printNote(until ? `Snoozed until ${until.toISOString()}.` : 'Not snoozed: people are notified.');
      }),
    );

  alert
    .command('acknowledge')
    .description('note that you look after a trigger of an alert')
    .argument('<id>', 'id of the alert, as `alert list` shows it')
    .argument('[trigger]', 'id of the trigger; by default the latest')
    .option('--note <text>', 'for others to read')
    .option(...orgOption)
    .option('--json', 'print the trigger as JSON')
    .action((id: string, trigger: string | undefined, options: CommonOptions & { note?: string }) =>
      withAlerts(options.org, async (ctx) => {
        const triggerId = trigger ?? (await latestTrigger(ctx, id));
        const acknowledged = await acknowledgeTrigger(ctx, id, { triggerId, note: options.note ?? null });
        if (options.json) return printJson(triggerView(acknowledged));
        const at = acknowledged.acknowledgedAt!.toISOString();
        printNote(`${triggerId} is acknowledged by ${acknowledged.acknowledgedBy} since ${at}.`);
      }),
    );
}

async function latestTrigger(ctx: NotificationContext, id: string): Promise<string> {
  const { triggers } = await listTriggers(ctx, id, { page: 1, perPage: 1 });
  if (!triggers[0]) throw notFound('trigger');
  return triggers[0].id;
}

function withAlerts(
  org: string | undefined,
  work: (ctx: NotificationContext) => Promise<void>,
): Promise<void> {
  return withApp((app) =>
    namingAlertOptions(async () => work({ ...app, actor: (await contextFor(app, org)).actor })),
  );
}
