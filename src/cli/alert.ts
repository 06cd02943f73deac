import { Option, type Command } from 'commander';
import type { App } from '../app.ts';
import { type Alert, listAlerts, recipientWarnings, type AlertSettings } from '../outreach/alerts/alerts.ts';
import {
  alertTypeNames,
  alertTypes,
  ruleOf,
  typeOf,
  type AlertTypeName,
} from '../outreach/alerts/alertTypes.ts';
import { checkAlert, type Check } from '../outreach/alerts/checkAlerts.ts';
import { previewAlert, type Preview } from '../outreach/alerts/preview.ts';
import { organizationScope } from '../outreach/alerts/scope.ts';
import { checkView, isOffText, listedAlert, previewView } from '../outreach/alerts/views.ts';
import type { NotificationContext } from '../outreach/notifications/context.ts';
import { listNotifications } from '../outreach/notifications/notifications.ts';
import { invalid } from '../platform/lib/errors.ts';
import { toNanos } from '../platform/lib/money.ts';
import { type CommonOptions, contextFor, orgOption, withApp } from './command.ts';
import { dollars, printJson, printNote, printTable } from './output.ts';

export function addAlertCommands(program: Command): void {
  const alert = program.command('alert').description('list, check and preview alerts');
  addList(alert);
  addCheck(alert);
  addPreview(alert);
}

function addList(alert: Command): void {
  alert
    .command('list')
    .description('list the alerts and their states')
    .option(...orgOption)
    .option('--json', 'print a JSON array')
    .action((options: CommonOptions) =>
      withApp('alert list', async (app) => {
        const alerts = await listAlerts(await contextFor(app, options.org));
        if (options.json) return printJson(alerts.map((row) => listedAlert(row, app.clock.now())));
        if (alerts.length === 0)
          return printNote('No alerts yet. `alert preview` helps you find a threshold.');
        printTable(
          ['ALERT', 'NAME', 'RULE', 'CHECKED', 'STATE'],
          alerts.map((row) => [
            row.id,
            row.name,
            ruleText(row),
            row.checkFrequency,
            row.enabled ? row.state : 'off',
          ]),
        );
      }),
    );
}

function addCheck(alert: Command): void {
  alert
    .command('check')
    .description('check an alert now; if it triggers, the running server sends the notifications')
    .argument('<id>', 'id of the alert, as `alert list` shows it')
    .option(...orgOption)
    .option('--json', 'print the result as JSON')
    .action((id: string, options: CommonOptions) =>
      withApp('alert check', async (app) => {
        const ctx = await alertContext(app, options.org);
        const { notificationSent, ...check } = await checkAlert(ctx, id, 'server');
        const warnings = await emailWarnings(ctx, check.alert, notificationSent);
        if (options.json) return printJson(checkView(check, notificationSent, warnings));
        const { currentNanos, thresholdNanos, conditionMet, state } = check.evaluation;
        const { enabled } = check.alert;
        if (!enabled) printNote(isOffText);
        const { threshold } = alertTypes[check.alert.alertType].words;
        const value = valueText(check.alert.alertType, currentNanos, thresholdNanos);
        if (state === 'insufficient_data') return printNote('Not enough history to compare with yet.');
        const words = enabled ? ['Triggered', 'Not triggered'] : ['It would trigger', 'It would not trigger'];
        console.log(`${words[conditionMet ? 0 : 1]}: ${value}, threshold ${threshold(thresholdNanos)}`);
        const comparison = comparisonText(check);
        if (comparison !== null) printNote(comparison);
        if (!enabled) return;
        if (conditionMet) printNote(await notificationText(ctx, check, notificationSent));
        for (const warning of warnings) printNote(warning);
      }),
    );
}

function valueText(type: AlertTypeName, nanos: bigint, thresholdNanos: bigint): string {
  return alertTypes[type].words.value(nanos, thresholdNanos).replace('-', '−');
}

function comparisonText({ at, measured }: Check): string | null {
  const { observedNanos, baselineNanos, window } = measured;
  if (baselineNanos === null) return null;
  const days = window.days === 1 ? window.end : `${window.start} to ${window.end}`;
  const time = `${at.toISOString().slice(11, 16)} UTC`;
  return (
    `${dollars(observedNanos)} on ${days} until ${time}, usually ${dollars(baselineNanos)} ` +
    'by that time of day.'
  );
}

async function notificationText(
  { db }: NotificationContext,
  { trigger }: Check,
  isSent: boolean,
): Promise<string> {
  if (!trigger) return 'It was already triggered, so no notification is sent.';
  if (isSent) return 'A notification has been sent.';
  const queued = await listNotifications(db, { orgId: trigger.orgId, triggerId: trigger.id });
  return queued.length === 0
    ? 'Nobody is set up to get a notification.'
    : 'No notification has been sent yet: the running server sends it.';
}

/** The running server may have settings that this command does not have. */
async function emailWarnings(
  { db, mailer }: NotificationContext,
  alert: Alert,
  isSent: boolean,
): Promise<string[]> {
  if (!alert.notifyEmail) return [];
  const ofCommand =
    mailer || isSent
      ? []
      : ['SMTP_URL and EMAIL_FROM are not set here. Email is sent only if the running server has them.'];
  return [...ofCommand, ...(await recipientWarnings(db, alert))];
}

type PreviewOptions = {
  org?: string;
  type: AlertSettings['alert_type'];
  threshold: string;
  frequency: NonNullable<AlertSettings['check_frequency']>;
  period?: NonNullable<AlertSettings['period']>;
  json?: boolean;
};

const thresholdUnits = Object.values(alertTypes)
  .map(({ schema: { unit, noun } }) => `${unit} of ${noun}`)
  .join(', ');

function addPreview(alert: Command): void {
  alert
    .command('preview')
    .description(
      "show when an alert would have triggered in the last 90 days (or the plan's history) and today",
    )
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
    .option(...orgOption)
    .option('--json', 'print everything as JSON')
    .action((options: PreviewOptions) =>
      withApp('alert preview', async (app) => {
        const { period = 'month' } = options;
        if (options.period !== undefined && !alertTypes[options.type].isByPeriod)
          throw invalid('--period', `is only for a budget: leave it out with --type ${options.type}`);
        const preview = await previewAlert(await alertContext(app, options.org), {
          name: 'preview',
          alert_type: options.type,
          threshold_amount: amountOf(options.threshold, options.type),
          check_frequency: options.frequency,
          period,
        });
        if (options.json) return printJson(previewView(preview));
        printTable(
          ['WOULD HAVE TRIGGERED', 'VALUE', 'PERIOD'],
          preview.firings.map(({ at, currentNanos, thresholdNanos, window, isSoFar }) => [
            isSoFar ? 'today so far' : at.toISOString(),
            valueText(options.type, currentNanos, thresholdNanos),
            `${window.start} to ${window.end}`,
          ]),
        );
        const times = preview.firings.length;
        printNote(
          times === 0
            ? `It would not have triggered in the last ${preview.days} days and today so far.`
            : `It would have triggered ${times === 1 ? 'once' : `${times} times`} in the last ${preview.days} ` +
                'days and today so far.',
        );
        printNote(suggestionText({ ...options, period }, preview));
      }),
    );
}

function suggestionText(
  options: Required<Pick<PreviewOptions, 'type' | 'frequency' | 'period'>>,
  { suggestion }: Preview,
): string {
  if (suggestion === null) return 'Not enough history to suggest a threshold.';
  const { thresholdNanos, usualNanos, outliers, isRaised } = suggestion;
  const rule = ruleOf({
    alertType: options.type,
    scope: organizationScope,
    thresholdNanos,
    checkFrequency: options.frequency,
    period: options.period,
    enabled: true,
  });
  const { threshold, highest } = typeOf(rule).words;
  const without = outliers === 0 ? '' : `Without ${outliers} ${outliers === 1 ? 'outlier' : 'outliers'}, `;
  const basis = `${without}the ${highest(rule)} ${valueText(options.type, usualNanos, thresholdNanos)}.`;
  return [
    `Suggested threshold: ${threshold(thresholdNanos)}.`,
    `${basis.charAt(0).toUpperCase()}${basis.slice(1)}`,
    ...(isRaised ? [`The forecast for this ${options.period} is higher.`] : []),
  ].join(' ');
}

async function alertContext(app: App, org: string | undefined): Promise<NotificationContext> {
  const { actor } = await contextFor(app, org);
  return { ...app, actor };
}

function ruleText(alert: Parameters<typeof ruleOf>[0]): string {
  const rule = ruleOf(alert);
  return typeOf(rule).words.rule(rule);
}

function amountOf(text: string, type: AlertTypeName): number {
  const amount = Number(text);
  const { maxThreshold } = alertTypes[type].schema;
  if (amount > 0 && amount <= maxThreshold && toNanos(amount) !== null) return amount;
  throw invalid(
    '--threshold',
    `must be a number above 0 and up to ${maxThreshold}, with at most nine decimals`,
  );
}
