import type { Command } from 'commander';
import type { App } from '../app.ts';
import { leftOutText } from '../ledger/costs/unusualDays.ts';
import { type Alert, listAlerts, recipientWarnings, warningsOf } from '../outreach/alerts/alerts.ts';
import { alertTypes, ruleOf, typeOf, type AlertTypeName } from '../outreach/alerts/alertTypes.ts';
import { checkAlert, type Check } from '../outreach/alerts/checkAlerts.ts';
import { scopeWarnings } from '../outreach/alerts/costScopes.ts';
import { measureAlerts, type Measurement } from '../outreach/alerts/measurements.ts';
import { previewAlert, type Preview } from '../outreach/alerts/preview.ts';
import { organizationScope, scopeName } from '../outreach/alerts/scope.ts';
import { isSnoozed } from '../outreach/alerts/triggers.ts';
import { checkView, isOffText, listedAlert, measurementView, previewView } from '../outreach/alerts/views.ts';
import type { NotificationContext } from '../outreach/notifications/context.ts';
import { listNotifications } from '../outreach/notifications/notifications.ts';
import { forecastDollars } from '../platform/lib/amountTexts.ts';
import {
  addChanges,
  addRuleOptions,
  namingAlertOptions,
  readRule,
  type RuleOptions,
} from './alertChanges.ts';
import { type CommonOptions, contextFor, orgOption, withApp } from './command.ts';
import { dollars, printJson, printNote, printTable } from './output.ts';

export function addAlertCommands(program: Command): void {
  const alert = program.command('alert').description('list, check, measure, preview and create alerts');
  addList(alert);
  addCheck(alert);
  addMeasure(alert);
  addPreview(alert);
  addChanges(alert);
}

function addList(alert: Command): void {
  alert
    .command('list')
    .description('list the alerts and their states')
    .option(...orgOption)
    .option('--json', 'print a JSON array')
    .action((options: CommonOptions) =>
      withApp(async (app) => {
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
            stateText(row, app.clock.now()),
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
      withApp(async (app) => {
        const ctx = await alertContext(app, options.org);
        const { notificationSent, ...check } = await checkAlert(ctx, id, 'server');
        const warnings = await warningsHere(ctx, check.alert, notificationSent);
        if (options.json) return printJson(checkView(check, notificationSent, warnings));
        const { currentNanos, thresholdNanos, conditionMet, state } = check;
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

function addMeasure(alert: Command): void {
  alert
    .command('measure')
    .description('show what each enabled alert measures, and where budgets are heading')
    .option(...orgOption)
    .option('--json', 'print a JSON array')
    .action((options: CommonOptions) =>
      withApp(async (app) => {
        const measurements = await measureAlerts(await alertContext(app, options.org));
        if (options.json) return printJson(measurements.map(measurementView));
        printTable(
          ['NAME', 'RULE', 'MEASURED', 'DAYS', 'FORECAST'],
          measurements.map((measurement) => [
            measurement.alert.name,
            ruleText(measurement.alert),
            measuredText(measurement),
            daysText(measurement),
            forecastText(measurement),
          ]),
        );
      }),
    );
}

/** The values that triggered an anomaly, because its last scheduled check can be normal again. */
function openAnomalyOf({ alert, open }: Measurement): Measurement['open'] {
  return alert.alertType === 'anomaly' && open?.alertType === 'anomaly' ? open : null;
}

function measuredText(measurement: Measurement): string {
  const open = openAnomalyOf(measurement);
  if (open) return valueText('anomaly', open.currentNanos, open.thresholdNanos);
  const { alert, state, currentNanos } = measurement;
  if (state === 'insufficient_data') return 'not enough history';
  return valueText(alert.alertType, currentNanos, alert.thresholdNanos);
}

function daysText(measurement: Measurement): string {
  const open = openAnomalyOf(measurement);
  const { start, end } = open
    ? { start: open.periodStart, end: open.periodEnd }
    : measurement.measured.window;
  return `${start} to ${end}`;
}

function forecastText({ forecast }: Measurement): string {
  if (!forecast) return '–';
  const over = forecast.overOn === null ? '' : `, over on ${forecast.overOn}`;
  return `${forecastDollars(forecast.roundedNanos)}${over}`;
}

function valueText(type: AlertTypeName, nanos: bigint, thresholdNanos: bigint): string {
  return alertTypes[type].words.value(nanos, thresholdNanos).replace('-', '−');
}

const recurrences = {
  month_end: ', as at each month end',
  day_of_month: ', as on that day of each month',
};

function comparisonText({ at, measured }: Check): string | null {
  const { observedNanos, baselineNanos, recurs, window } = measured;
  if (baselineNanos === null) return null;
  const days = window.days === 1 ? window.end : `${window.start} to ${window.end}`;
  const time = `${at.toISOString().slice(11, 16)} UTC`;
  return (
    `${dollars(observedNanos)} on ${days} until ${time}, usually ${dollars(baselineNanos)} ` +
    `by that time of day${recurs === null ? '' : recurrences[recurs]}.`
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

/** What was sent shows that the running server has a mail server. */
async function warningsHere(ctx: NotificationContext, alert: Alert, isSent: boolean): Promise<string[]> {
  if (!isSent || !alert.notifyEmail) return warningsOf(ctx, alert);
  return [...(await scopeWarnings(ctx.db, alert)), ...(await recipientWarnings(ctx.db, alert))];
}

type PreviewOptions = RuleOptions & CommonOptions;

function addPreview(alert: Command): void {
  const command = alert
    .command('preview')
    .description(
      "show when an alert would have triggered in the last 90 days (or the plan's history) and today",
    );
  addRuleOptions(command)
    .option(...orgOption)
    .option('--json', 'print everything as JSON')
    .action((options: PreviewOptions) =>
      withApp(async (app) => {
        const rule = readRule(options);
        const { period } = rule;
        const ctx = await alertContext(app, options.org);
        const preview = await namingAlertOptions(() => previewAlert(ctx, { name: 'preview', ...rule }));
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
  options: Required<Pick<RuleOptions, 'type' | 'frequency' | 'period'>>,
  { suggestion }: Preview,
): string {
  if (suggestion === null) return 'Not enough history to suggest a threshold.';
  const { thresholdNanos, usualNanos, outliers, isRaised, leftOutDays, isExceeded } = suggestion;
  const leftOut = leftOutText(leftOutDays);
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
    ...(leftOut === null ? [] : [leftOut]),
    ...(isExceeded ? [`This ${options.period} already exceeds it.`] : []),
  ].join(' ');
}

async function alertContext(app: App, org: string | undefined): Promise<NotificationContext> {
  const { actor } = await contextFor(app, org);
  return { ...app, actor };
}

function ruleText(alert: Parameters<typeof ruleOf>[0]): string {
  const rule = ruleOf(alert);
  const scope = scopeName(rule.scope);
  return `${typeOf(rule).words.rule(rule)}${scope === null ? '' : ` for ${scope}`}`;
}

function stateText(alert: Alert, now: Date): string {
  if (!alert.enabled) return 'off';
  return isSnoozed(alert, now) ? `${alert.state}, snoozed` : alert.state;
}
