import { startOfDay } from '../../platform/lib/days.ts';
import { isBlank, oneLine } from '../../platform/lib/text.ts';
import { dollars, signedDollars, toBillionths } from './figures.ts';

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
