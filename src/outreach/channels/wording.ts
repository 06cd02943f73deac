import {
  amountText,
  dollars,
  forecastDollars,
  roughDollars,
  signedDollars,
  toBillionths,
} from '../../platform/lib/amountTexts.ts';
import { dayOf, longDay, longTime, shortDay } from '../../platform/lib/days.ts';
import { capital, isBlank, oneLine } from '../../platform/lib/text.ts';
import type { UnitName } from '../../platform/lib/units.ts';

/** The content of a notification, as JSON, because it is stored until it is sent. */
export type AlertNotice = {
  /** Without a measure, it watches list cost. */
  alert: { id: string; name: string; type: string; measure?: string };
  organization: string;
  /** The unit of `observed`, `baseline`, `workflows` and `repositories`; US dollars if it is missing. */
  unit?: UnitName;
  /** The part of the costs that the alert watches; missing for the whole organization. */
  scope?: { type: string; value?: string; repository?: string; name?: string; text: string };
  /** Whether its emails go to the alert's own recipients instead of owners and admins. */
  isToRecipients?: boolean;
  /** Jobs in the cost whose times may be wrong, and their cost in US dollars; missing if there are none. */
  overTimeLimit?: { jobs: number; cost: string };
  /** Whether the spend had already reached the budget when it was created, changed or turned on. */
  isReachedBefore?: boolean;
  /** Exact decimals, in the unit of the alert's type. */
  currentValue: string;
  thresholdValue: string;
  /** Spent in the period. */
  observed: string;
  /** What `observed` is compared with, if anything. */
  baseline: string | null;
  /** UTC days, both included. */
  period: { start: string; end: string };
  triggeredAt: string;
  /** What happened on which days, in a sentence, if days stand out. */
  happened?: string;
  /** At most five, the largest increases first. Of included usage, those that used most. */
  workflows: { workflow: string; repository: string; cost: string; change: string }[];
  /** Daily costs of the last weeks, in US dollars; missing for other units. */
  daily?: { day: string; cost: string }[];
  /** Of a period that is not over, in US dollars. The range is missing if it is not known. */
  forecast?: { amount: string; low?: string; high?: string };
  /** Of included usage: the repositories that used most. */
  repositories?: { repository: string; cost: string }[];
  /** Of included usage: the day on which it is used up; null if it lasts to the end of the month. */
  usedUpOn?: string | null;
  words: AlertWords;
  /** Set in the message that the alert is resolved. */
  resolved?: { at: string; reason: string };
};

export type AlertWords = {
  title: string;
  current: string;
  inShort: string;
  summary: string;
  /** Stored under this name with messages that are still to be sent. */
  facts: Detail[];
};

type Detail = { label: string; value: string };

/** Every value is one line and unescaped. Details contain no names. */
export type Wording = Omit<AlertWords, 'facts'> & {
  details: Detail[];
  /** Empty if there is no short text for the place above the button, as in an invitation. */
  current: string;
  /** Shown below the amount in an email, where the summary would repeat the amount. */
  change?: string;
  alertName: string;
  organization: string;
  /** For reports, which are not alarms. */
  isCalm?: boolean;
  workflows: { workflow: string; repository: string; cost: string; change: string; cause?: string }[];
  /** With `percents`, an email draws a bar under each item. */
  lists?: { heading: string; items: string[]; percents?: number[] }[];
  /** Only for email. `text` says what the image shows; `source` is null if the image could not be drawn. */
  chart?: { text: string; labels: readonly string[]; source: string | null };
  link: { label: string; url: string };
};

export type Reason = string | Wording['link'];

export function wordingOf(notice: AlertNotice, dashboardUrl: string): Wording {
  const name = shownName(notice.alert.name) || notice.alert.id;
  const { facts, ...words } = notice.words;
  return {
    ...words,
    summary: notice.happened ? `${notice.happened} ${words.summary}` : words.summary,
    ...(notice.resolved && resolvedWords(notice.resolved)),
    organization: shownName(notice.organization),
    alertName: notice.scope ? `${name} for ${shownName(notice.scope.text)}` : name,
    details: [
      ...facts,
      ...forecastDetails(notice),
      ...overTimeLimitDetails(notice),
      { label: 'Period', value: periodText(notice.period) },
      { label: 'Triggered', value: longTime(new Date(notice.triggeredAt)) },
    ],
    ...topOf(notice),
    link: { label: 'Open the alert', url: alertUrl(notice, dashboardUrl) },
  };
}

/** The largest increases, or of included usage what used most. */
function topOf({ workflows, repositories, unit = 'usd' }: AlertNotice): Pick<Wording, 'workflows' | 'lists'> {
  const textOf = (name: string, cost: string) => `${name}: ${amountText(unit, toBillionths(cost))}`;
  if (!repositories)
    return {
      workflows: workflows.map(({ workflow, repository, cost, change }) => ({
        workflow: shownName(workflow),
        repository: shownName(repository),
        cost: dollars(toBillionths(cost)),
        change: signedDollars(toBillionths(change)),
      })),
    };
  const ofRepositories = repositories.map(({ repository, cost }) => textOf(shownName(repository), cost));
  const ofWorkflows = workflows.map(({ workflow, repository, cost }) =>
    textOf(`${shownName(workflow)} (${shownName(repository)})`, cost),
  );
  return {
    workflows: [],
    lists: [
      { heading: 'Repositories that used most', items: ofRepositories },
      { heading: 'Workflows that used most', items: ofWorkflows },
    ],
  };
}

function resolvedWords({ at, reason }: NonNullable<AlertNotice['resolved']>) {
  const why = reason.replaceAll('_', ' ');
  return {
    title: 'Resolved',
    inShort: why,
    summary: `The alert was resolved on ${longTime(new Date(at))} (${why}).`,
    isCalm: true,
  };
}

/** The notice with each name on one line. Amounts are JSON numbers with all digits, as in the API. */
export function noticeData(notice: AlertNotice, dashboardUrl: string): object {
  return {
    event: notice.resolved ? 'alert.resolved' : 'alert.triggered',
    alert: { ...notice.alert, name: shownName(notice.alert.name) },
    organization: shownName(notice.organization),
    ...(notice.scope && { scope: scopeBody(notice.scope) }),
    current_value: JSON.rawJSON(notice.currentValue),
    threshold_value: JSON.rawJSON(notice.thresholdValue),
    ...(notice.isReachedBefore ? { reached_before: true } : {}),
    observed: JSON.rawJSON(notice.observed),
    baseline: notice.baseline === null ? null : JSON.rawJSON(notice.baseline),
    ...(notice.overTimeLimit && {
      over_time_limit: { ...notice.overTimeLimit, cost: JSON.rawJSON(notice.overTimeLimit.cost) },
    }),
    period: notice.period,
    triggered_at: notice.triggeredAt,
    ...(notice.happened && { happened: notice.happened }),
    ...(notice.resolved && { resolved_at: notice.resolved.at, reason: notice.resolved.reason }),
    workflows: notice.workflows.map(({ workflow, repository, cost, change }) => ({
      workflow: shownName(workflow),
      repository: shownName(repository),
      cost: JSON.rawJSON(cost),
      change: JSON.rawJSON(change),
    })),
    ...(notice.repositories && {
      used_up_on: notice.usedUpOn ?? null,
      repositories: notice.repositories.map(({ repository, cost }) => ({
        repository: shownName(repository),
        cost: JSON.rawJSON(cost),
      })),
    }),
    alert_url: alertUrl(notice, dashboardUrl),
    dashboard_url: dashboardUrl,
  };
}

function scopeBody({ text, ...scope }: NonNullable<AlertNotice['scope']>): object {
  const shown = Object.entries(scope).map(([name, value]) => [name, shownName(value)]);
  return { ...Object.fromEntries(shown), text: shownName(text) };
}

function forecastDetails({ forecast, period, resolved }: AlertNotice): Detail[] {
  if (!forecast || resolved) return [];
  const { amount, low, high } = forecast;
  const end = (text: string) => roughDollars(toBillionths(text));
  const range = low && high ? ` (likely ${end(low)} to ${end(high)})` : '';
  const about = forecastDollars(toBillionths(amount));
  return [{ label: 'Forecast', value: `${about} by ${shortDay(period.end)}${range}` }];
}

function overTimeLimitDetails({ alert, overTimeLimit }: AlertNotice): Detail[] {
  if (!overTimeLimit) return [];
  const { jobs, cost } = overTimeLimit;
  const which = jobs === 1 ? '1 job is' : `${jobs} jobs are`;
  const of = alert.measure === undefined ? 'of it' : 'at list price';
  const value = `${dollars(toBillionths(cost))} ${of}: ${which} longer than the provider allows, so the times may be wrong`;
  return [{ label: 'Check first', value }];
}

/** The organization or scope that a message is about, as the first words of a sentence. */
export function spenderOf({ organization, scope }: Pick<AlertNotice, 'organization' | 'scope'>): string {
  if (!scope) return shownName(organization);
  const text = shownName(scope.text);
  return ['branch', 'team', 'cost_center', 'actor_kind'].includes(scope.type) ? capital(text) : text;
}

export type TestNotice = {
  organization: string;
  sentAt: string;
};

export function testWording({ organization, sentAt }: TestNotice, dashboardUrl: string): Wording {
  const name = shownName(organization) || 'your organization';
  return {
    title: 'Test message',
    alertName: `Alerts for ${name} arrive here`,
    organization: name,
    isCalm: true,
    current: 'It works',
    inShort: 'no alert has triggered',
    summary: `Somebody at ${name} sent this test message. No alert has triggered, and you do not need to do anything.`,
    details: [{ label: 'Sent', value: longTime(new Date(sentAt)) }],
    workflows: [],
    link: { label: 'Open the dashboard', url: new URL(dashboardUrl).href },
  };
}

type Invitation = { organization: string; role: string; author: string; link: string; expiresAt: Date };

export function invitationWording({ organization, role, author, link, expiresAt }: Invitation): Wording {
  const name = shownName(organization) || 'an organization';
  // Programs also invite, and their names are ids.
  const inviter = /^(?:cli|token .*|session of cli)$/.test(author) ? 'an admin' : shownName(author);
  return {
    title: 'Invitation to Runcost',
    alertName: name,
    organization: name,
    current: '',
    inShort: `from ${inviter}`,
    isCalm: true,
    summary: `${inviter === 'an admin' ? 'An admin' : inviter} invites you to Runcost, where ${name} sees what its CI jobs cost and why. The link works once.`,
    details: [
      { label: 'Invited by', value: inviter },
      { label: 'You join as', value: role },
      { label: 'Expires', value: longTime(expiresAt) },
    ],
    workflows: [],
    link: { label: 'Open the invitation', url: link },
  };
}

/** A token that expires soon, as JSON, because it is stored until it is sent. */
export type TokenNotice = {
  /** `member` is an email address; null for a service account. */
  token: { id: string; name: string; role: string; member: string | null };
  organization: string;
  expiresAt: string;
  lastUsedAt: string | null;
};

export function tokenWording(
  { token, organization, expiresAt, lastUsedAt }: TokenNotice,
  dashboardUrl: string,
): Wording {
  const name = shownName(token.name) || token.id;
  const expires = longTime(new Date(expiresAt));
  return {
    title: 'Token expires soon',
    alertName: name,
    organization: shownName(organization),
    current: longDay(dayOf(new Date(expiresAt))),
    inShort: `on ${longDay(dayOf(new Date(expiresAt)))}`,
    summary: `After that, requests with this token are refused. If something still uses it, create a new token and replace it there before ${expires}.`,
    details: [
      { label: 'Token', value: token.id },
      { label: 'Belongs to', value: token.member ?? 'no person (service account)' },
      { label: 'Role', value: token.role },
      { label: 'Expires', value: expires },
      { label: 'Last used', value: lastUsedAt === null ? 'never' : longTime(new Date(lastUsedAt)) },
    ],
    workflows: [],
    link: { label: 'Open the tokens', url: pageAt('settings/tokens', dashboardUrl).href },
  };
}

function alertUrl({ alert }: AlertNotice, dashboardUrl: string): string {
  return pageAt(`alerts/${encodeURIComponent(alert.id)}`, dashboardUrl).href;
}

/** The first page of this organization, because the reader may belong to several. */
export function dashboardOf({ publicUrl }: { publicUrl: () => string }, orgId: string): string {
  return `${publicUrl()}/?org=${orgId}`;
}

/** Another page of the same organization. */
export function pageAt(path: string, dashboardUrl: string): URL {
  const url = new URL(path, dashboardUrl);
  url.search = new URL(dashboardUrl).search;
  return url;
}

export function periodText({ start, end }: AlertNotice['period']): string {
  if (start === end) return `${longDay(start)} (UTC)`;
  const isOneYear = start.slice(0, 4) === end.slice(0, 4);
  return `${isOneYear ? shortDay(start) : longDay(start)} to ${longDay(end)} (UTC)`;
}

/** The longest name that people can enter. Workflow names can be longer. */
const maxNameLength = 255;

export function shownName(name: string): string {
  return isBlank(name) ? '' : fit(oneLine(name), maxNameLength, (text) => text);
}

export function fit(text: string, maxLength: number, escape: (text: string) => string): string {
  const whole = escape(text);
  if (whole.length <= maxLength) return whole;
  let fitted = '';
  for (const character of text) {
    const next = escape(character);
    if (fitted.length + next.length >= maxLength) break;
    fitted += next;
  }
  return `${fitted}…`;
}
