import { startOfDay } from '../../platform/lib/days.ts';
import { isBlank, oneLine } from '../../platform/lib/text.ts';
import {
  dollars,
  dollarsApartFrom,
  exactDollars,
  exactPercent,
  percentApartFrom,
  signedDollars,
  toBillionths,
} from './figures.ts';
import type { AlertNotice } from './notices.ts';

/** A notice in words, the same for mail and chat. Every value is one line of text and nothing is escaped. */
export type Wording = {
  title: string;
  alertName: string;
  organization: string;
  /** The figure that matters. */
  current: string;
  /** That figure and what it stands against. */
  inShort: string;
  /** One sentence that says it all. */
  summary: string;
  facts: { label: string; value: string }[];
  workflows: { workflow: string; repository: string; cost: string; change: string }[];
  /** Where it leads to. */
  link: { label: string; url: string };
};

/** A line below a mail on why somebody gets it, or a link for them. */
export type Reason = string | Wording['link'];

/** What to say of a triggered alert, which leads to its page; `dashboardUrl` is that of the first page. */
export function wordingOf(notice: AlertNotice, dashboardUrl: string): Wording {
  const wording = notice.alert.type === 'budget' ? budgetWording(notice) : anomalyWording(notice);
  return {
    ...wording,
    alertName: shownName(notice.alert.name) || notice.alert.id,
    facts: [
      ...wording.facts,
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

type TypeWording = Pick<Wording, 'title' | 'organization' | 'current' | 'inShort' | 'summary' | 'facts'>;

function budgetWording(notice: AlertNotice): TypeWording {
  const spentExact = toBillionths(notice.currentValue);
  const budgetExact = toBillionths(notice.thresholdValue);
  const organization = shownName(notice.organization);
  const current = dollarsApartFrom(spentExact, budgetExact);
  const threshold = exactDollars(budgetExact);
  const over = dollars(spentExact - budgetExact);
  return {
    title: 'Budget exceeded',
    organization,
    current,
    inShort: `${current}, threshold ${threshold}`,
    summary: `${organization} has spent ${current}, which is ${over} over the budget of ${threshold}.`,
    facts: [
      { label: 'Spent', value: current },
      { label: 'Budget', value: threshold },
      { label: 'Over by', value: over },
    ],
  };
}

function anomalyWording(notice: AlertNotice): TypeWording {
  const riseExact = toBillionths(notice.currentValue);
  const thresholdExact = toBillionths(notice.thresholdValue);
  const organization = shownName(notice.organization);
  const current = percentApartFrom(riseExact, thresholdExact);
  const threshold = exactPercent(thresholdExact);
  const spentExact = toBillionths(notice.observed);
  const baselineExact = notice.baseline === null ? null : toBillionths(notice.baseline);
  const spent = baselineExact === null ? dollars(spentExact) : dollarsApartFrom(spentExact, baselineExact);
  const usual = baselineExact === null ? null : dollarsApartFrom(baselineExact, spentExact);
  // A check on demand compares the day so far with the same hours of earlier days.
  const byThen = notice.triggeredAt.slice(0, 10) <= notice.period.end ? ' by then' : '';
  const comparison = usual === null ? '' : ` instead of the usual ${usual}${byThen}`;
  return {
    title: 'Spending spike',
    organization,
    current: `+${current}`,
    inShort: `+${current}, threshold ${threshold}`,
    summary: `${organization} has spent ${spent}${comparison}: a rise of ${current}, over the threshold of ${threshold}.`,
    facts: [
      { label: 'Rise', value: current },
      { label: 'Threshold', value: threshold },
      { label: 'Spent', value: spent },
      ...(usual === null ? [] : [{ label: `Usually${byThen}`, value: usual }]),
    ],
  };
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
