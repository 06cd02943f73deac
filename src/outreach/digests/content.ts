import { actorKindWords, type ActorKind } from '../../ledger/actors/actorPattern.ts';
import { percentChange } from '../../ledger/costs/ratios.ts';
import { leftOutText } from '../../ledger/costs/unusualDays.ts';
import {
  amountText,
  dollars,
  forecastDollars,
  roughDollars,
  signedDollars,
} from '../../platform/lib/amountTexts.ts';
import { longDay, shortDay, weekdayOf, type Day, type Window } from '../../platform/lib/days.ts';
import type { Nanos } from '../../platform/lib/money.ts';
import { capital, oneLine } from '../../platform/lib/text.ts';
import type { UnitName } from '../../platform/lib/units.ts';
import type { ChartDay } from '../channels/email/chart.ts';
import { fit, pageAt, periodText, shownName, type Wording } from '../channels/wording.ts';
import { periodOf, type Frequency } from './slots.ts';

type Span = Pick<Window, 'start' | 'end'>;

export type DigestFigures = {
  frequency: Frequency;
  organization: string;
  team: string | null;
  /** Missing in messages that were queued before digests had it. */
  actorKind?: ActorKind | null;
  period: Span;
  previousPeriod: Span;
  totalNanos: Nanos;
  /** Null if nothing was recorded by then. */
  previousNanos: Nanos | null;
  daily: ChartDay[];
  /** The current month's forecast; null if nothing is expected. */
  forecast: {
    month: string;
    projectedNanos: Nanos;
    lowNanos: Nanos | null;
    highNanos: Nanos | null;
    leftOutDays: Day[];
  } | null;
  /** Budgets at the end of the period, the fullest first. */
  budgets: {
    name: string;
    /** The part of the costs that the budget watches; null for all costs. */
    scope: string | null;
    period: Span;
    /** In billionths of `unit`. */
    spentNanos: bigint;
    amountNanos: bigint;
    unit: UnitName;
    /** What it adds up, such as `net cost`; null for list cost. */
    what: string | null;
    overState: string;
  }[];
  risers: { workflow: string; repository: string; costNanos: Nanos; changeNanos: Nanos; cause: string }[];
  saving: { workflow: string; repository: string; text: string; savingNanos: Nanos } | null;
};

/** A month of the bill, as `insight` closes it. */
export type ClosedMonth = {
  month: string;
  sentence: string;
  listedNanos: Nanos;
  billedNanos: Nanos;
  steps: readonly { title: string; amountNanos: Nanos }[];
  teams: readonly { name: string; isTeam: boolean; costNanos: Nanos; netCostNanos: Nanos }[];
};

const maxBudgets = 4;
const maxCauseLength = 300;

export function digestWording(figures: DigestFigures, dashboardUrl: string): Wording {
  const { frequency, period, previousPeriod, totalNanos, previousNanos } = figures;
  const organization = shownName(figures.organization) || 'your organization';
  const spender = spenderIn(figures);
  const current = dollars(totalNanos);
  const change = changeText(figures);
  return {
    title: frequency === 'weekly' ? 'Weekly digest' : 'Monthly digest',
    alertName: spender === null ? organization : `${spender} of ${organization}`,
    organization,
    isCalm: true,
    current,
    inShort: change === null ? current : `${current}, ${change}`,
    summary: summaryOf(figures, spender ?? organization),
    ...(change !== null && { change: changeText(figures, { hasDollars: true })! }),
    details: [
      { label: 'Period', value: periodText(period) },
      ...(previousNanos === null
        ? []
        : [
            {
              label: `Previous ${periodOf[frequency]}`,
              value: `${dollars(previousNanos)}, ${periodText(previousPeriod)}`,
            },
          ]),
      ...forecastDetails(figures),
    ],
    workflows: figures.risers.map(({ workflow, repository, costNanos, changeNanos, cause }) => ({
      workflow: shownName(workflow),
      repository: shownName(repository),
      cost: dollars(costNanos),
      change: signedDollars(changeNanos),
      ...(cause === '' ? {} : { cause: fit(oneLine(cause), maxCauseLength, (text) => text) }),
    })),
    lists: listsOf(figures),
    link: { label: 'Open the dashboard', url: exploreUrl(figures, dashboardUrl) },
  };
}

/** Null for the organization. */
function spenderIn({ team, actorKind }: DigestFigures): string | null {
  if (team !== null) return `Team ${shownName(team)}`;
  return actorKind ? capital(actorKindWords[actorKind]) : null;
}

function summaryOf({ frequency, totalNanos, previousNanos }: DigestFigures, spender: string): string {
  const unit = periodOf[frequency];
  if (totalNanos === 0n && !previousNanos) return `${spender}: CI cost nothing last ${unit}.`;
  const start = `${spender}: CI cost ${dollars(totalNanos)} last ${unit}`;
  if (previousNanos === null) return `${start}. There is no earlier ${unit} to compare it with.`;
  const difference = totalNanos - previousNanos;
  if (difference === 0n) return `${start}, the same as the ${unit} before.`;
  const size = dollars(difference > 0n ? difference : -difference);
  return `${start}, ${size} ${difference > 0n ? 'more' : 'less'} than the ${unit} before.`;
}

/** Null if there is no percentage. */
function changeText(
  { frequency, totalNanos, previousNanos }: DigestFigures,
  { hasDollars = false } = {},
): string | null {
  if (!previousNanos) return null;
  const percent = percentChange(totalNanos, previousNanos);
  const size = `${percent > 0 ? '+' : '−'}${Math.abs(percent).toLocaleString('en-US')}%`;
  const change = hasDollars ? `${signedDollars(totalNanos - previousNanos)} (${size})` : size;
  return `${percent === 0 ? 'no change' : change} vs previous ${periodOf[frequency]}`;
}

const monthName = new Intl.DateTimeFormat('en-US', { month: 'long', timeZone: 'UTC' });

function forecastDetails({ forecast }: DigestFigures): Wording['details'] {
  if (!forecast) return [];
  const { month, projectedNanos, lowNanos, highNanos, leftOutDays } = forecast;
  const range =
    lowNanos === null || highNanos === null
      ? ''
      : ` (likely ${roughDollars(lowNanos)} to ${roughDollars(highNanos)})`;
  const name = monthName.format(new Date(`${month}-01T00:00:00Z`));
  const leftOut = leftOutText(leftOutDays);
  const value = `${forecastDollars(projectedNanos)}${range}${leftOut === null ? '' : `. ${leftOut}`}`;
  return [{ label: `Forecast for ${name}`, value }];
}

function listsOf(
  figures: Pick<DigestFigures, 'frequency' | 'budgets' | 'saving'>,
): NonNullable<Wording['lists']> {
  const { frequency, budgets, saving } = figures;
  const shown = budgets.slice(0, maxBudgets);
  const items = shown.map(budgetText);
  const left = budgets.length - items.length;
  if (left > 0) items.push(`and ${left} more`);
  return [
    ...(items.length === 0 ? [] : [{ heading: 'Budgets', items, percents: shown.map(percentOf) }]),
    ...(saving === null ? [] : [{ heading: 'Biggest saving', items: [savingText(saving, frequency)] }]),
  ];
}

type Budget = DigestFigures['budgets'][number];

function percentOf({ spentNanos, amountNanos }: Budget): number {
  return Number((spentNanos * 10_000n) / amountNanos) / 100;
}

function budgetText(budget: Budget): string {
  const { name, scope, period, spentNanos, amountNanos, unit, what, overState } = budget;
  const of = scope === null ? '' : ` for ${shownName(scope)}`;
  const state = spentNanos > amountNanos ? `, ${overState}` : '';
  const [spent, amount] = [spentNanos, amountNanos].map((each) => amountText(unit, each));
  return (
    `${shownName(name)}${of}: ${what === null ? '' : `${what} `}${spent} of ${amount} ` +
    `(${Math.floor(percentOf(budget)).toLocaleString('en-US')}%${state}), ${shortDay(period.start)} to ${shortDay(period.end)}`
  );
}

/** The saving per week or month, like the digest. The Waste page shows it per month. */
function savingText(saving: NonNullable<DigestFigures['saving']>, frequency: Frequency): string {
  const { workflow, repository, text, savingNanos } = saving;
  const amount = `${dollars(savingNanos)} a ${periodOf[frequency]}`;
  return `Up to ${amount} in ${shownName(workflow)} (${shownName(repository)}). ${shownName(text)}`;
}

/** Describes the chart, beside it and for readers who do not see it. */
export function chartText({ daily, frequency, previousNanos }: DigestFigures): string {
  const marks = previousNanos === null ? '' : ` Gray: the ${periodOf[frequency]} before.`;
  const byCost = daily.toSorted((a, b) => Number(b.costNanos - a.costNanos) || (a.day < b.day ? -1 : 1));
  const [highest, lowest] = [byCost[0]!, byCost.at(-1)!];
  const named = ({ day, costNanos }: ChartDay) => `${dollars(costNanos)} on ${dayName(day, frequency)}`;
  return `Daily cost: highest ${named(highest)}, lowest ${named(lowest)} (UTC).${marks}`;
}

/** Labels under the bars. A month has no room for them. */
export function chartLabels({ daily, frequency }: DigestFigures): string[] {
  return frequency === 'weekly' ? daily.map(({ day }) => dayName(day, frequency).slice(0, 3)) : [];
}

function dayName(day: Day, frequency: Frequency): string {
  const weekday = weekdayOf(day);
  return frequency === 'weekly' ? capital(weekday) : longDay(day);
}

function exploreUrl({ period, team, actorKind }: DigestFigures, dashboardUrl: string): string {
  const url = pageAt('explore', dashboardUrl);
  url.searchParams.set('from', period.start);
  url.searchParams.set('to', period.end);
  if (team !== null) url.searchParams.set('team', `=${team}`);
  if (actorKind) url.searchParams.set('actor_kind', actorKind);
  return url.href;
}
