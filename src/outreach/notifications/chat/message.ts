import {
  alertUrl,
  fit,
  shownName,
  testWording,
  wordingOf,
  type AlertNotice,
  type TestNotice,
  type Wording,
} from '../wording.ts';

type Format = 'slack' | 'teams' | 'discord' | 'json';

/**
 * The body for a chat's incoming webhook. `dashboardUrl` is the address of the first page. Names in it can
 * neither format text nor mention anybody.
 */
export function chatMessage(format: Format, notice: AlertNotice, dashboardUrl: string): string {
  return JSON.stringify(
    format === 'json' ? plainBody(notice, dashboardUrl) : bodies[format](wordingOf(notice, dashboardUrl)),
  );
}

export function testChatMessage(format: Format, notice: TestNotice, dashboardUrl: string): string {
  return JSON.stringify(
    format === 'json'
      ? plainTestBody(notice, dashboardUrl)
      : bodies[format](testWording(notice, dashboardUrl)),
  );
}

export function digestChatMessage(
  format: Format,
  { wording, figures }: { wording: Wording; figures: object },
): string {
  return JSON.stringify(format === 'json' ? figures : bodies[format](wording));
}

const bodies = { slack: slackBody, teams: teamsBody, discord: discordBody };

/** Maximum characters of a name or sentence. Five workflows then fit into every limit. */
const maxNameLength = 100;
const maxSentenceLength = 600;
const maxCauseLength = 200;
const maxItemLength = 200;

const asIs = (text: string): string => text;

/** Limits of Slack's Block Kit: 150 characters in a header, 2000 in a field, 3000 in a section. */
function slackBody({ title, alertName, summary, facts, workflows, lists = [], link }: Wording): object {
  const plain = (text: string) => ({ type: 'plain_text', text, emoji: false });
  const lines = workflows.map(
    ({ workflow, repository, cost, change, cause }) =>
      `${change} to ${cost}  ${fit(workflow, maxNameLength, asIs)} (${fit(repository, maxNameLength, asIs)})${causeText(cause, asIs)}`,
  );
  const heading = (text: string) => ({ type: 'section', text: { type: 'mrkdwn', text: `*${text}*` } });
  return {
    text: fit(`${title}: ${alertName}. ${summary}`, 3000, slackFallback),
    mrkdwn: false,
    unfurl_links: false,
    unfurl_media: false,
    blocks: [
      { type: 'header', text: plain(fit(`${title}: ${alertName}`, 150, slackText)) },
      { type: 'section', text: plain(fit(summary, 3000, slackText)) },
      {
        type: 'section',
        fields: facts.map(({ label, value }) => ({
          type: 'mrkdwn',
          text: `*${label}*\n${slackText(value)}`,
        })),
      },
      ...(lines.length === 0
        ? []
        : [
            heading('Largest increases'),
            { type: 'section', text: plain(fit(lines.join('\n'), 3000, slackText)) },
          ]),
      ...lists.flatMap(({ heading: text, items }) => [
        heading(text),
        {
          type: 'section',
          text: plain(
            fit(items.map((item) => fit(item, maxSentenceLength, asIs)).join('\n'), 3000, slackText),
          ),
        },
      ]),
      {
        type: 'section',
        text: { type: 'mrkdwn', text: `<${slackText(linkTarget(link.url))}|${link.label}>` },
      },
    ],
  };
}

function causeText(cause: string | undefined, escape: (text: string) => string): string {
  return cause ? `\n    ${fit(cause, maxCauseLength, escape)}` : '';
}

/** Escapes the three characters that have a meaning in Slack, in plain text and in mrkdwn. */
function slackText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/**
 * The text for notifications. Chats compatible with Slack read only this text, and take names after @ as
 * mentions.
 */
function slackFallback(text: string): string {
  return slackText(text).replaceAll('@', '\uFF20');
}

/**
 * An Adaptive Card for the Workflows app, which accepts at most 28 kB. Names are rich text runs, which are
 * never read as Markdown.
 */
function teamsBody(wording: Wording): object {
  const { title, alertName, summary, inShort, facts, workflows, lists = [], isCalm = false, link } = wording;
  const rich = (text: string, look: object, around: object = {}) => ({
    type: 'RichTextBlock',
    inlines: [{ type: 'TextRun', text, ...look }],
    ...around,
  });
  const subtle = (text: string) => rich(text, { isSubtle: true, size: 'Small' }, { spacing: 'None' });
  const workflowRow = ({ workflow, repository, cost, change, cause }: Wording['workflows'][number]) => ({
    type: 'ColumnSet',
    columns: [
      {
        type: 'Column',
        width: 'stretch',
        items: [
          rich(fit(workflow, maxNameLength, asIs), {}),
          subtle(fit(repository, maxNameLength, asIs)),
          ...(cause ? [subtle(fit(cause, maxCauseLength, asIs))] : []),
        ],
      },
      { type: 'Column', width: 'auto', items: [rich(`${change} to ${cost}`, {})] },
    ],
  });
  const card = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    fallbackText: `${title}: ${inShort}`, // may be read as Markdown, so it has no names
    body: [
      rich(title, { color: isCalm ? 'Default' : 'Attention', weight: 'Bolder' }),
      rich(fit(alertName, 256, asIs), { size: 'Large', weight: 'Bolder' }, { spacing: 'None' }),
      rich(fit(summary, maxSentenceLength, asIs), {}),
      { type: 'FactSet', facts: facts.map(({ label, value }) => ({ title: label, value })) },
      ...(workflows.length === 0 ? [] : [rich('Largest increases', { weight: 'Bolder' })]),
      ...workflows.map(workflowRow),
      ...lists.flatMap(({ heading, items }) => [
        rich(heading, { weight: 'Bolder' }),
        ...items.map((item) => rich(fit(item, maxSentenceLength, asIs), {}, { spacing: 'Small' })),
      ]),
    ],
    actions: [{ type: 'Action.OpenUrl', title: link.label, url: link.url }],
    msteams: { width: 'Full' },
  };
  return {
    type: 'message',
    attachments: [
      { contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content: card },
    ],
  };
}

const discordRed = 0xd9_2d_20;
const discordBlue = 0x1f_5f_d6;

/** Limits of Discord's embeds: 256 characters in a title, 4096 in a description, 1024 in a field, 6000 in total. */
function discordBody(wording: Wording): object {
  const { title, alertName, summary, facts, workflows, lists = [], isCalm = false, link } = wording;
  const lines = workflows.map(
    ({ workflow, repository, cost, change, cause }) =>
      `${change} to ${cost}  ${fit(workflow, 2 * maxNameLength, discordText)} (${fit(repository, 2 * maxNameLength, discordText)})${causeText(cause, discordText)}`,
  );
  const description = [
    fit(summary, maxSentenceLength, discordText),
    ...(lines.length === 0 ? [] : ['', '**Largest increases**', ...lines]),
    ...lists.flatMap(({ heading, items }) => [
      '',
      `**${heading}**`,
      ...items.map((item) => fit(item, maxItemLength, discordText)),
    ]),
    '',
    `[${link.label}](${linkTarget(link.url)})`,
  ];
  return {
    allowed_mentions: { parse: [] },
    embeds: [
      {
        title: `${title}: ${fit(alertName, 230, discordText)}`,
        description: description.join('\n'),
        color: isCalm ? discordBlue : discordRed,
        fields: facts.map(({ label, value }) => ({ name: label, value, inline: true })),
      },
    ],
  };
}

function discordText(text: string): string {
  return text.replace(/[\\*_~`|<>[\]()#@:-]/g, String.raw`\$&`);
}

/** Encodes the characters that would end a link in the chats' markup. */
function linkTarget(url: string): string {
  return url.replaceAll('|', '%7C').replaceAll('(', '%28').replaceAll(')', '%29');
}

/** The notice with each name on one line. Amounts are JSON numbers with all digits, as in the API. */
function plainBody(notice: AlertNotice, dashboardUrl: string): object {
  return {
    event: 'alert.triggered',
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
    workflows: notice.workflows.map(({ workflow, repository, cost, change }) => ({
      workflow: shownName(workflow),
      repository: shownName(repository),
      cost: JSON.rawJSON(cost),
      change: JSON.rawJSON(change),
    })),
    alert_url: alertUrl(notice, dashboardUrl),
    dashboard_url: dashboardUrl,
  };
}

function scopeBody({ text, ...scope }: NonNullable<AlertNotice['scope']>): object {
  const shown = Object.entries(scope).map(([name, value]) => [name, shownName(value)]);
  return { ...Object.fromEntries(shown), text: shownName(text) };
}

function plainTestBody({ organization, sentAt }: TestNotice, dashboardUrl: string): object {
  return {
    event: 'test',
    organization: shownName(organization),
    sent_at: sentAt,
    dashboard_url: dashboardUrl,
  };
}
