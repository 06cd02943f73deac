import { incomingWebhook } from '../post.ts';
import { asIs, causeText, linkTarget, maxNameLength, maxSentenceLength } from '../texts.ts';
import { fit, type Wording } from '../wording.ts';

export const slack = incomingWebhook({
  title: 'Slack',
  description: 'Posts to a channel of Slack, or of a chat that takes the same messages, such as Mattermost.',
  help: 'In Slack, add an incoming webhook to the channel and copy its address.',
  example: 'https://hooks.slack.com/services/…',
  body: ({ wording }) => slackBody(wording),
});

/** Limits of Slack's Block Kit: 150 characters in a header, 2000 in a field, 3000 in a section. */
export function slackBody({
  title,
  alertName,
  summary,
  details,
  workflows,
  lists = [],
  link,
}: Wording): object {
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
        fields: details.map(({ label, value }) => ({
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

/** Escapes the three characters that have a meaning in Slack, in plain text and in mrkdwn. */
function slackText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Chats compatible with Slack read only this text, and take names after @ as mentions. */
function slackFallback(text: string): string {
  return slackText(text).replaceAll('@', '\uFF20');
}
