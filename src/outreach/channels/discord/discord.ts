import { incomingWebhook } from '../post.ts';
import { causeText, linkTarget, maxItemLength, maxNameLength, maxSentenceLength } from '../texts.ts';
import { fit, type Wording } from '../wording.ts';

export const discord = incomingWebhook({
  title: 'Discord',
  description: 'Posts to a channel of Discord.',
  help: 'In Discord, open the settings of the channel, then Integrations, Webhooks, and copy an address.',
  example: 'https://discord.com/api/webhooks/…',
  body: ({ wording }) => discordBody(wording),
});

const red = 0xd9_2d_20;
const blue = 0x1f_5f_d6;

/** Limits of Discord's embeds: 256 characters in a title, 4096 in a description, 1024 in a field, 6000 in total. */
export function discordBody(wording: Wording): object {
  const { title, alertName, summary, details, workflows, lists = [], isCalm = false, link } = wording;
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
        color: isCalm ? blue : red,
        fields: details.map(({ label, value }) => ({ name: label, value, inline: true })),
      },
    ],
  };
}

function discordText(text: string): string {
  return text.replace(/[\\*_~`|<>[\]()#@:-]/g, String.raw`\$&`);
}
