import { Option, type Command } from 'commander';
import type { App } from '../app.ts';
import { checkAlert, type Check } from '../outreach/alerts/checkAlert.ts';
import type { AlertContext } from '../outreach/alerts/context.ts';
import type { AlertSettings } from '../outreach/alerts/createAlert.ts';
import { listAlerts, recipientWarnings, type Alert } from '../outreach/alerts/getAlert.ts';
import type { Preview } from '../outreach/alerts/preview.ts';
import { previewAlert } from '../outreach/alerts/previewAlert.ts';
import { checkView, listedAlert, previewView } from '../outreach/alerts/views.ts';
import { invalid } from '../platform/lib/errors.ts';
import { formatNanos, toNanos, type Nanos } from '../platform/lib/money.ts';
import { contextFor, orgOption, withApp } from './openApp.ts';
import { printJson, printNote, printTable } from './output.ts';

export function addAlertCommands(program: Command): void {
  const alert = program.command('alert').description('list, check and preview alerts');
  addList(alert);
  addCheck(alert);
  addPreview(alert);
}

function addList(alert: Command): void {
  alert
    .command('list')
    .description('list the alerts with their states')
    .option(...orgOption)
    .option('--json', 'print a JSON array')
    .action((options: { org?: string; json?: boolean }) =>
      withApp('alert list', async (app) => {
        const alerts = await listAlerts(await contextFor(app, options.org));
        if (options.json) return printJson(alerts.map(listedAlert));
        if (alerts.length === 0)
          return printNote('There are no alerts yet. `alert preview` helps to find a threshold.');
        printTable(
          ['ALERT', 'NAME', 'RULE', 'CHECKED', 'STATE'],
          alerts.map((row) => [
            row.id,
            row.name,
            row.alertType === 'budget'
              ? `over $${formatNanos(row.thresholdNanos)} a ${row.period}`
              : `up more than ${formatNanos(row.thresholdNanos)} %`,
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
    .description('check an alert now: what begins to hold is recorded, and told by the running server')
    .argument('<id>', 'id of the alert, as `alert list` shows it')
    .option(...orgOption)
    .option('--json', 'print the result as JSON')
    .action((id: string, options: { org?: string; json?: boolean }) =>
      withApp('alert check', async (app) => {
        const ctx = await alertContext(app, options.org);
        const { notificationSent, ...check } = await checkAlert(ctx, id, 'server');
        const warnings = check.alert.notifyEmail ? await recipientWarnings(ctx.db, check.alert.orgId) : [];
        if (options.json) return printJson(checkView(check, notificationSent, warnings));
        const { currentNanos, thresholdNanos, conditionMet, state } = check.evaluation;
        const show = (nanos: Nanos) => valueText(check.alert, nanos);
        if (state === 'insufficient_data')
          return printNote('There is not enough history to compare with yet.');
        console.log(
          `${conditionMet ? 'Triggered' : 'Not triggered'}: ${show(currentNanos)}, threshold ${show(thresholdNanos)}`,
        );
        const comparison = comparisonText(check);
        if (comparison !== null) printNote(comparison);
        if (conditionMet) printNote(toldText(check.trigger !== null, notificationSent));
        for (const warning of warnings) printNote(warning);
      }),
    );
}

/** What an anomaly has compared: days so far with days until the same hour. */
function comparisonText({ at, measured }: Check): string | null {
  const { observedNanos, baselineNanos, window } = measured;
  if (baselineNanos === null) return null;
  const days = window.days === 1 ? window.end : `${window.start} to ${window.end}`;
  const time = `${at.toISOString().slice(11, 16)} UTC`;
  return `$${formatNanos(observedNanos)} on ${days} until ${time}, against $${formatNanos(baselineNanos)} usually by that time of day.`;
}

function toldText(isNew: boolean, isSent: boolean): string {
  if (!isNew) return 'It is known already: no message is sent.';
  return isSent ? 'A message has been sent.' : 'No message has been sent yet: the running server sends them.';
}

type PreviewOptions = {
  org?: string;
  type: AlertSettings['alert_type'];
  threshold: string;
  frequency: NonNullable<AlertSettings['check_frequency']>;
  period: NonNullable<AlertSettings['period']>;
  json?: boolean;
};

function addPreview(alert: Command): void {
  alert
    .command('preview')
    .description(
      'when an alert would have triggered over the last 90 days, or as far as the plan reaches, and today',
    )
    .addOption(new Option('--type <type>', 'type').choices(['budget', 'anomaly']).makeOptionMandatory())
    .requiredOption('--threshold <amount>', 'US dollars of a budget, percent of an anomaly')
    .addOption(
      new Option('--frequency <word>', 'how often it is checked')
        .choices(['daily', 'weekly', 'monthly'])
        .default('daily'),
    )
    .addOption(
      new Option('--period <word>', 'of a budget').choices(['day', 'week', 'month']).default('month'),
    )
    .option(...orgOption)
    .option('--json', 'print all of it as JSON')
    .action((options: PreviewOptions) =>
      withApp('alert preview', async (app) => {
        const preview = await previewAlert(await contextFor(app, options.org), {
          name: 'preview',
          alert_type: options.type,
          threshold_amount: amountOf(options.threshold, options.type),
          check_frequency: options.frequency,
          period: options.period,
        });
        if (options.json) return printJson(previewView(preview));
        const show = (nanos: Nanos) => valueText({ alertType: options.type }, nanos);
        printTable(
          ['WOULD HAVE TRIGGERED', 'VALUE', 'PERIOD'],
          preview.firings.map(({ at, currentNanos, window, isSoFar }) => [
            isSoFar ? 'today so far' : at.toISOString(),
            show(currentNanos),
            `${window.start} to ${window.end}`,
          ]),
        );
        const times = preview.firings.length;
        printNote(
          times === 0
            ? `It would not have triggered in the last ${preview.days} days and today so far.`
            : `It would have triggered ${times === 1 ? 'once' : `${times} times`} in the last ${preview.days} days and today so far.`,
        );
        printNote(suggestionText(options, preview, show));
      }),
    );
}

function suggestionText(
  { type, period }: PreviewOptions,
  { suggestion }: Preview,
  show: (nanos: Nanos) => string,
): string {
  if (suggestion === null) return 'There is not enough history to suggest a threshold.';
  const { thresholdNanos, usualNanos, outliers, isRaised } = suggestion;
  const usual = type === 'budget' ? `the highest usual ${period}` : 'the highest usual rise';
  return [
    `Suggested: ${show(thresholdNanos)}.`,
    `${show(usualNanos)} is ${usual}${outliers === 0 ? '' : `, without ${outliers} ${outliers === 1 ? 'outlier' : 'outliers'}`}.`,
    ...(isRaised ? [`This ${period} is heading higher.`] : []),
  ].join(' ');
}

async function alertContext(app: App, org: string | undefined): Promise<AlertContext> {
  const { actor } = await contextFor(app, org);
  return { ...app, actor };
}

function valueText({ alertType }: Pick<Alert, 'alertType'>, nanos: Nanos): string {
  return alertType === 'budget' ? `$${formatNanos(nanos)}` : `${formatNanos(nanos)} %`;
}

const highestAmounts = { budget: 1_000_000_000, anomaly: 1_000_000 };

function amountOf(text: string, type: Alert['alertType']): number {
  const amount = Number(text);
  const highest = highestAmounts[type];
  if (amount > 0 && amount <= highest && toNanos(amount) !== null) return amount;
  throw invalid('--threshold', `must be a number above 0 and up to ${highest}, with at most nine decimals`);
}
