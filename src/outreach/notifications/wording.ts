import { startOfDay } from '../../platform/lib/days.ts';
import { isBlank, oneLine } from '../../platform/lib/text.ts';
import { dollars, signedDollars, toBillionths } from './figures.ts';
import type { AlertNotice, AlertWords } from './notice.ts';

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

/** The page that tells what the alert has triggered. */
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
export function instantText(iso: string): string {
  const instant = new Date(iso).toISOString();
  return `${dayText(instant.slice(0, 10))}, ${instant.slice(11, 16)} UTC`;
}

/** As long as names may be that people give; those of workflows are not ours to bound. */
const longestName = 255;

/** A name as it is fit to be shown, whoever has given it; empty where nothing of it can be seen. */
export function shownName(name: string): string {
  return isBlank(name) ? '' : fit(oneLine(name), longestName, (text) => text);
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
