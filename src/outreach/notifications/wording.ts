import { startOfDay } from '../../platform/lib/days.ts';
import { formatNanos, parseUsd } from '../../platform/lib/money.ts';
import { isBlank, oneLine } from '../../platform/lib/text.ts';

/** What people learn when an alert triggers. Plain JSON: it is stored with the messages until they are sent. */
export type AlertNotice = {
  alert: { id: string; name: string; type: string };
  organization: string;
  /** Exact decimals, in the unit of the alert's type. */
  currentValue: string;
  thresholdValue: string;
  /** US dollars spent in the period. */
  observed: string;
  /** US dollars that `observed` is compared with; null where it is compared with nothing. */
  baseline: string | null;
  /** Calendar days, both included. */
  period: { start: string; end: string };
  /** ISO 8601. */
  triggeredAt: string;
  /** At most five, those behind the rise; US dollars, and the change may be negative. */
  workflows: { workflow: string; repository: string; cost: string; change: string }[];
  words: AlertWords;
};

/** What the alert's type says of a trigger. */
export type AlertWords = {
  title: string;
  /** The figure that matters. */
  current: string;
  /** That figure and what it stands against. */
  inShort: string;
  /** One sentence that says it all. */
  summary: string;
  facts: { label: string; value: string }[];
};

/** A notice in words, the same for mail and chat. Every value is one line of text and nothing is escaped. */
export type Wording = AlertWords & {
  alertName: string;
  organization: string;
  workflows: { workflow: string; repository: string; cost: string; change: string }[];
  /** Where it leads to. */
  link: { label: string; url: string };
};

/** A line below a mail on why somebody gets it, or a link for them. */
export type Reason = string | Wording['link'];

/** What to say of a triggered alert, which leads to its page; `dashboardUrl` is that of the first page. */
export function wordingOf(notice: AlertNotice, dashboardUrl: string): Wording {
  return {
    ...notice.words,
    organization: shownName(notice.organization),
    alertName: shownName(notice.alert.name) || notice.alert.id,
    facts: [
      ...notice.words.facts,
      { label: 'Period', value: periodText(notice.period) },
      { label: 'Triggered', value: instantText(notice.triggeredAt) },
    ],
    workflows: notice.workflows.map(({ workflow, repository, cost, change }) => ({
      workflow: shownName(workflow),
      repository: shownName(repository),
      cost: dollars(toBillionths(cost)),
      change: signedDollars(toBillionths(change)),
    })),
    link: { label: 'Open the alert', url: alertUrl(notice, dashboardUrl) },
  };
}

/** A message that only tests whether messages arrive. */
export type TestNotice = {
  organization: string;
  /** ISO 8601. */
  sentAt: string;
};

/** A test in words, in the places where those of an alert stand; it leads to `dashboardUrl`. */
export function testWording({ organization, sentAt }: TestNotice, dashboardUrl: string): Wording {
  const name = shownName(organization) || 'your organization';
  return {
    title: 'Test message',
    alertName: `Alerts of ${name} arrive here`,
    organization: name,
    current: 'It works',
    inShort: 'no alert has triggered',
    summary: `Somebody who looks after ${name} tried whether messages arrive. No alert has triggered, and nothing needs doing.`,
    facts: [{ label: 'Sent', value: instantText(sentAt) }],
    workflows: [],
    link: { label: 'Open the dashboard', url: new URL(dashboardUrl).href },
  };
}

/** The page that shows what the alert has triggered. */
export function alertUrl({ alert }: AlertNotice, dashboardUrl: string): string {
  return new URL(`alerts/${encodeURIComponent(alert.id)}`, dashboardUrl).href;
}

const dayOfYear = new Intl.DateTimeFormat('en-US', { day: 'numeric', month: 'long', timeZone: 'UTC' });

function dayText(day: string): string {
  return `${dayOfYear.format(startOfDay(day))}, ${day.slice(0, 4)}`;
}

function periodText({ start, end }: AlertNotice['period']): string {
  if (start === end) return `${dayText(start)} (UTC)`;
  const isOneYear = start.slice(0, 4) === end.slice(0, 4);
  return `${isOneYear ? dayOfYear.format(startOfDay(start)) : dayText(start)} to ${dayText(end)} (UTC)`;
}

/** An instant as people read it, in UTC. */
function instantText(iso: string): string {
  const instant = new Date(iso).toISOString();
  return `${dayText(instant.slice(0, 10))}, ${instant.slice(11, 16)} UTC`;
}

/** As long as names may be that people give; those of workflows are not ours to bound. */
const maxNameLength = 255;

/** A name as it is fit to be shown, whoever has given it; empty where nothing of it can be seen. */
export function shownName(name: string): string {
  return isBlank(name) ? '' : fit(oneLine(name), maxNameLength, (text) => text);
}

/** The text escaped and cut to `most` characters, with an ellipsis; `escape` works character by character. */
export function fit(text: string, most: number, escape: (text: string) => string): string {
  const whole = escape(text);
  if (whole.length <= most) return whole;
  let fitted = '';
  for (const character of text) {
    const next = escape(character);
    if (fitted.length + next.length >= most) break;
    fitted += next;
  }
  return `${fitted}…`;
}

/** Billionths of an exact decimal such as `"-0.008"`; throws a `RangeError` for anything else. */
export function toBillionths(decimal: string): bigint {
  return decimal.startsWith('-') ? -parseUsd(decimal.slice(1)) : parseUsd(decimal);
}

/** Dollars to the cent: `$1,284.55`. Below a cent as many digits as it takes to differ from nothing. */
export function dollars(billionths: bigint): string {
  return inDollars(roundApart(billionths, [0n]), 2);
}

/** Dollars with all their digits, as somebody has set them: `$1,000.00`, `$0.125`. */
export function exactDollars(billionths: bigint): string {
  return inDollars(billionths, 2);
}

/** Dollars to the cent, and further where the amount would otherwise read as `other` or on its other side. */
export function dollarsApartFrom(billionths: bigint, other: bigint): string {
  return inDollars(roundApart(billionths, [0n, other]), 2);
}

/** A change in dollars with its sign: `+$12.00`, `-$3.50`. */
export function signedDollars(billionths: bigint): string {
  return billionths > 0n ? `+${dollars(billionths)}` : dollars(billionths);
}

/** Percent with all their digits, as somebody has set them. */
export function exactPercent(billionths: bigint): string {
  return `${grouped(billionths, 0)}%`;
}

/** Percent with two decimals at most, and further where they would otherwise read as `other` or on its other side. */
export function percentApartFrom(billionths: bigint, other: bigint): string {
  return exactPercent(roundApart(billionths, [0n, other]));
}

/** Rounded to hundredths, or to the first digit from there on that keeps the order to `others`. */
function roundApart(billionths: bigint, others: readonly bigint[]): bigint {
  for (let step = 10_000_000n; step > 1n; step /= 10n) {
    const rounded = roundTo(billionths, step);
    if (others.every((other) => order(rounded, other) === order(billionths, other))) return rounded;
  }
  return billionths;
}

function roundTo(value: bigint, step: bigint): bigint {
  return value < 0n ? -roundTo(-value, step) : ((value + step / 2n) / step) * step;
}

function order(left: bigint, right: bigint): number {
  return Number(left > right) - Number(left < right);
}

function inDollars(billionths: bigint, minDecimals: number): string {
  return billionths < 0n ? `-${inDollars(-billionths, minDecimals)}` : `$${grouped(billionths, minDecimals)}`;
}

function grouped(billionths: bigint, minDecimals: number): string {
  const [whole = '0', fraction = ''] = formatNanos(billionths).split('.');
  const decimals = fraction.padEnd(minDecimals, '0');
  const wholeGrouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return decimals === '' ? wholeGrouped : `${wholeGrouped}.${decimals}`;
}
