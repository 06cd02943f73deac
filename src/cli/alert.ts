import type { Command } from 'commander';
import { units, type UnitName } from '../platform/lib/units.ts';
import { CommandError } from './faults.ts';
import { collect, readValues } from './filters.ts';
import { printNote, printTable } from './output.ts';
import type { Answer, Input, Session } from './session.ts';
import { dollarsOf } from './tables.ts';
import type { Options, TailoredGroup } from './verbCommand.ts';

const ruleOptions = { alert_type: 'type', threshold_amount: 'threshold', check_frequency: 'frequency' };

const scopeTypes = ['repository', 'workflow', 'branch', 'team', 'cost_center', 'actor_kind'];

const addScope = (command: Command): Command =>
  command.option(
    '--scope <type=value>',
    'only repository, workflow, branch, team, cost_center or actor_kind; repository beside branch',
    collect,
    [],
  );

/** `repository=acme/api` and `branch=main` make the scope of an alert. */
function readScope(input: Input, { scope }: Options): Input {
  const { repository, ...others } = readValues('--scope', scope as string[], scopeTypes);
  const [[type, value] = ['repository', repository], ...more] = Object.entries(others);
  if (value === undefined) return input;
  const isOfRepository = repository !== undefined && type !== 'repository';
  if (more.length > 0 || (isOfRepository && type !== 'branch'))
    throw new CommandError('--scope must be given once, or twice for a branch of a repository', 'usage');
  return { ...input, scope: { type, value, ...(isOfRepository && { repository }) } };
}

function amountOf(unit: string, value: Answer): string {
  if (unit === 'usd') return dollarsOf(value);
  const known = units[unit as UnitName] as (typeof units)[UnitName] | undefined;
  // A server that is newer than this command can have another unit.
  if (!known) return `${value} ${unit}`;
  const rounded = Number(value).toFixed(1).replace('.0', '').replace('-', '−');
  return `${known.prefix}${rounded}${known.suffix}`;
}

const noOne = 'Nobody is set up to get a notification, or it was already triggered.';

function printCheck(check: Answer): void {
  if (check.state === 'insufficient_data') return printNote('Not enough history to compare with yet.');
  const value = amountOf(check.unit, check.current_value);
  console.log(
    `${check.triggered ? 'Triggered' : 'Not triggered'}: ${value}, threshold ${amountOf(check.unit, check.threshold_value)}`,
  );
  if (check.baseline !== null)
    printNote(
      `${dollarsOf(check.observed)} from ${check.period.start} to ${check.period.end}, usually ${dollarsOf(check.baseline)}.`,
    );
  if (check.triggered) printNote(check.notification_sent ? 'A notification has been sent.' : noOne);
  for (const warning of check.warnings as string[]) printNote(warning);
}

async function latestTrigger(session: Session, id: unknown): Promise<string> {
  const { triggers } = await session.call('alert trigger list', { id, page: 1, per_page: 1 });
  if (triggers[0]) return triggers[0].id as string;
  throw new CommandError('The alert has not triggered yet.', 'not_found');
}

function printPreview({ unit, firings, suggestion, suggested_threshold: suggested }: Answer): void {
  printTable(
    ['WOULD HAVE TRIGGERED', 'VALUE', 'PERIOD'],
    (firings as Answer[]).map(({ at, current_value: value, period, so_far: isSoFar }) => [
      isSoFar ? 'today so far' : at,
      amountOf(unit, value),
      `${period.start} to ${period.end}`,
    ]),
  );
  const times = firings.length === 1 ? 'once' : `${firings.length} times`;
  printNote(`It would have triggered ${firings.length === 0 ? 'never' : times}, today so far included.`);
  if (suggestion === null) return printNote('Not enough history to suggest a threshold.');
  const {
    highest_usual: usual,
    raised_for_current_period: isRaised,
    exceeded_in_current_period: isExceeded,
  } = suggestion;
  printNote(
    `Suggested threshold: ${amountOf(unit, suggested)}. The highest usual value is ${amountOf(unit, usual)}.`,
  );
  if (isRaised) printNote('The forecast for this period is higher.');
  if (isExceeded) printNote('This period already exceeds it.');
}

function printMeasurements({ measurements }: Answer): void {
  printTable(
    ['NAME', 'MEASURED', 'THRESHOLD', 'DAYS', 'FORECAST'],
    (measurements as Answer[]).map(({ name, unit, forecast, open_trigger: open, ...now }) => {
      // The last scheduled check of an anomaly can be normal again.
      const shown = forecast === null && (open?.baseline ?? null) !== null ? open : now;
      const isKnown = now.insufficient_data === false || shown === open;
      return [
        name,
        isKnown ? amountOf(unit, shown.current_value) : 'not enough history',
        amountOf(unit, shown.threshold_value),
        `${shown.period.start} to ${shown.period.end}`,
        forecast === null
          ? '-'
          : `${amountOf(unit, forecast.rounded)}${forecast.over_on === null ? '' : `, over on ${forecast.over_on}`}`,
      ];
    }),
  );
}

export const alertCommands: TailoredGroup = {
  'alert list': { empty: 'No alerts yet. `alert preview` helps you find a threshold.' },
  'alert create': {
    options: { ...ruleOptions, notify_email: 'email', notify_chat: 'chat', recipients: 'recipient' },
    without: ['scope'],
    more: addScope,
    read: readScope,
    print: ({ id, warnings }) => {
      console.log(id);
      for (const warning of warnings as string[]) printNote(warning);
    },
    help: 'Example:\n  runcost alert create --name "CI budget" --type budget --threshold 5000 --scope repository=acme/api',
  },
  'alert check': { print: printCheck },
  'alert measure': { print: printMeasurements },
  'alert preview': {
    options: ruleOptions,
    without: ['scope', 'name', 'notify_email', 'notify_chat', 'recipients', 'snoozed_until', 'enabled'],
    more: addScope,
    read: (input, options) => ({ name: 'preview', ...readScope(input, options) }),
    print: printPreview,
  },
  'alert snooze': {
    verb: 'alert update',
    title: 'notify nobody of an alert until a time; it is still checked',
    options: { snoozed_until: 'until' },
    only: ['id', 'snoozed_until'],
    more: (command) => command.option('--end', 'end the snooze now'),
    read: (input, { until, end }) => {
      if (until === undefined && !end) throw new CommandError('--until is missing, and so is --end', 'usage');
      return end ? { ...input, snoozed_until: null } : input;
    },
    print: ({ snoozed_until: until }) =>
      printNote(until ? `Snoozed until ${until}.` : 'Not snoozed: people are notified.'),
    help: `
Examples:
  runcost alert snooze 3f2c8a5e-6c1d-4b7e-9a40-d5e8f1b2c3a4 --until 2026-03-20T08:00:00Z
  runcost alert snooze 3f2c8a5e-6c1d-4b7e-9a40-d5e8f1b2c3a4 --end`,
  },
  'alert trigger acknowledge': {
    words: 'alert acknowledge',
    without: ['trigger_id'],
    more: (command) => command.argument('[trigger]', 'id of the trigger; by default the latest'),
    run: async (session, input, { trigger }) => {
      const triggerId = trigger ?? (await latestTrigger(session, input['id']));
      return session.call('alert trigger acknowledge', { ...input, trigger_id: triggerId });
    },
    print: ({ id, acknowledgement: { at, by } }) => printNote(`${id} is acknowledged by ${by} since ${at}.`),
  },
};
