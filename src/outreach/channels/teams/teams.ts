import { incomingWebhook } from '../post.ts';
import { asIs, maxCauseLength, maxNameLength, maxSentenceLength } from '../texts.ts';
import { fit, type Wording } from '../wording.ts';

export const teams = incomingWebhook({
  title: 'Microsoft Teams',
  description: 'Posts to a channel of Microsoft Teams.',
  help: 'In Teams, add a workflow that posts to the channel when it gets a webhook request, and copy its address.',
  example: 'https://prod-00.westeurope.logic.azure.com/workflows/…',
  body: ({ wording }) => teamsBody(wording),
});

/** An Adaptive Card has at most 28 kB. Names are rich text runs, which are never read as Markdown. */
export function teamsBody(wording: Wording): object {
  const {
    title,
    alertName,
    summary,
    inShort,
    details,
    workflows,
    lists = [],
    isCalm = false,
    link,
  } = wording;
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
      { type: 'FactSet', facts: details.map(({ label, value }) => ({ title: label, value })) },
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
