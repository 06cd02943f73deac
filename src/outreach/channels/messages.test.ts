import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  alertUrl,
  anomalyNotice,
  budgetNotice,
  chatMessage,
  dashboardUrl,
  dashboardUrls,
  withWords,
  notices,
  type ChatFormat as Format,
} from '../../../test/harness/notices.ts';
import type { AlertNotice } from './wording.ts';

type Text = { type: string; text: string };
type SlackBody = { text: string; blocks: { type: string; text?: Text; fields?: Text[] }[] };
type DiscordBody = {
  allowed_mentions: { parse: string[] };
  embeds: { title: string; description: string; fields: { name: string; value: string }[] }[];
};

const messageOf = (format: Format, notice: AlertNotice, url = dashboardUrl) =>
  chatMessage(format, withWords(notice), url);

const named = (name: string): AlertNotice => ({
  ...budgetNotice,
  alert: { ...budgetNotice.alert, name },
  organization: name,
  workflows: [{ workflow: name, repository: name, cost: '1', change: '1' }],
});

for (const format of ['slack', 'teams', 'discord'] as const) {
  test(`${format} has every detail of a budget and of an anomaly`, () => {
    const budget = textOf(messageOf(format, budgetNotice));
    for (const detail of [
      'Budget exceeded',
      'Monthly CI budget',
      '$1,284.55',
      '$1,000.00',
      '$284.55',
      'Jun 1 to Jun 30, 2026 (UTC)',
      'Jun 18, 2026, 06:03 UTC',
      'https://runcost.acme.example/',
      'Largest increases',
      'Build and test',
      'acme/mobile-app',
      '+$312.40',
      '$612.40',
      '−$4.01',
    ]) {
      assert.ok(budget.includes(detail), detail);
    }
    const anomaly = textOf(messageOf(format, anomalyNotice));
    for (const detail of ['Spending spike', 'Daily spike', '182.7%', '50%', '$412.20', '$145.80']) {
      assert.ok(anomaly.includes(detail), detail);
    }
  });

  test(`${format} leaves out the list without workflows`, () => {
    assert.doesNotMatch(messageOf(format, { ...budgetNotice, workflows: [] }), /behind the rise/);
  });
}

test('Slack shows names as plain text', () => {
  const { text, blocks } = slack(named('<!channel> & *bold* <https://evil.example|x>'));
  assert.match(text, /^Budget exceeded: &lt;!channel&gt; &amp; \*bold\* &lt;https:/);
  for (const { type, text: block } of blocks) {
    if (type === 'header') assert.match(block!.text, /&lt;!channel&gt; &amp;/);
    if (block?.type === 'mrkdwn') assert.doesNotMatch(block.text, /channel|bold|evil/);
  }
});

test('Teams shows names as plain text', () => {
  const name = '**bold** [x](https://evil.example) {{DATE(2026-01-01T00:00:00Z)}}';
  const stack: unknown[] = [JSON.parse(messageOf('teams', named(name)))];
  let found = 0;
  while (stack.length > 0) {
    const item = stack.pop();
    if (typeof item !== 'object' || item === null) continue;
    const {
      type,
      text,
      fallbackText: _,
      ...rest
    } = item as { type?: string; text?: string; fallbackText?: string };
    if (text?.includes('**bold**')) {
      assert.equal(type, 'TextRun'); // the only kind of text that is not Markdown
      found += 1;
    }
    for (const value of Object.values(rest)) {
      assert.ok(typeof value !== 'string' || !value.includes('**bold**'));
      stack.push(value);
    }
  }
  assert.equal(found, 4); // alert, sentence, workflow, repository
});

test('Teams gets an Adaptive Card in a message', () => {
  const { type, attachments } = JSON.parse(messageOf('teams', budgetNotice));
  assert.equal(type, 'message');
  assert.equal(attachments.length, 1);
  assert.equal(attachments[0].contentType, 'application/vnd.microsoft.card.adaptive');
  assert.equal(attachments[0].content.type, 'AdaptiveCard');
  assert.deepEqual(attachments[0].content.actions, [
    { type: 'Action.OpenUrl', title: 'Open the alert', url: alertUrl },
  ]);
});

test('Discord shows names as plain text, and they mention nobody', () => {
  const { allowed_mentions, embeds } = discord(named('@everyone **b** [x](https://evil.example)'));
  assert.deepEqual(allowed_mentions, { parse: [] });
  const escaped = String.raw`\@everyone \*\*b\*\* \[x\]\(https\://evil.example\)`;
  assert.equal(embeds[0]!.title, `Budget exceeded: ${escaped}`);
  assert.equal(embeds[0]!.description.split(escaped).length - 1, 3);
});

test('a message that an older version stored can be sent', () => {
  const words =
    '{"title":"Budget exceeded","current":"$12.00","inShort":"","summary":"","facts":[{"label":"Over by","value":"$2.00"}]}';
  const stored = { ...budgetNotice, words: JSON.parse(words) as AlertNotice['words'] };
  assert.match(textOf(chatMessage('slack', stored, dashboardUrl)), /Over by/);
});

test('the json format is the notice itself, with exact numbers', () => {
  const body = messageOf('json', { ...anomalyNotice, currentValue: '123456789.123456789' });
  assert.match(body, /"current_value":123456789\.123456789,"threshold_value":50,/);
  assert.deepEqual(JSON.parse(messageOf('json', anomalyNotice)), {
    event: 'alert.triggered',
    alert: anomalyNotice.alert,
    organization: 'acme',
    current_value: 182.734512345,
    threshold_value: 50,
    observed: 412.2,
    baseline: 145.8,
    period: { start: '2026-06-17', end: '2026-06-17' },
    triggered_at: '2026-06-18T06:03:11.000Z',
    workflows: [
      { workflow: 'Build and test', repository: 'acme/web', cost: 612.4, change: 312.4 },
      { workflow: 'Nightly end-to-end', repository: 'acme/mobile-app', cost: 301.12, change: 120.02 },
      { workflow: 'Lint', repository: 'acme/web', cost: 12.064, change: -4.008 },
    ],
    alert_url: alertUrl,
    dashboard_url: 'https://runcost.acme.example/',
  });
  assert.equal(JSON.parse(messageOf('json', budgetNotice)).baseline, null);
});

test('cuts long names with an ellipsis', () => {
  const { blocks } = slack(named('&'.repeat(255)));
  assert.match(blocks[0]!.text!.text, /^Budget exceeded: (&amp;){26}…$/);
  assert.match(discord(named('_'.repeat(255))).embeds[0]!.title, /^Budget exceeded: (\\_){114}…$/);
});

test('no notice exceeds the limits of Slack', () => {
  fc.assert(
    fc.property(notices, dashboardUrls, (notice, url) => {
      const { text, blocks } = slack(notice, url);
      assert.ok(text.length <= 3000);
      assert.ok(blocks.length <= 50);
      for (const { type, text: block, fields = [] } of blocks) {
        if (block) assertSlackText(block, type === 'header' ? 150 : 3000);
        assert.ok(fields.length <= 10);
        for (const field of fields) assertSlackText(field, 2000);
      }
    }),
  );
});

test('no notice exceeds the limits of Discord', () => {
  fc.assert(
    fc.property(notices, dashboardUrls, (notice, url) => {
      const { title, description, fields } = discord(notice, url).embeds[0]!;
      assert.ok(title.length <= 256 && description.length <= 4096 && fields.length <= 25);
      for (const { name, value } of fields) {
        assert.ok(name.length <= 256 && value.length <= 1024 && value !== '');
      }
      const lengths = fields.map(({ name, value }) => name.length + value.length);
      assert.ok(lengths.reduce((sum, length) => sum + length, title.length + description.length) <= 6000);
    }),
  );
});

test('no notice exceeds the limit of Teams or breaks the JSON of any format', () => {
  fc.assert(
    fc.property(notices, dashboardUrls, (notice, url) => {
      assert.ok(Buffer.byteLength(messageOf('teams', notice, url)) <= 28_000);
      for (const format of ['slack', 'teams', 'discord', 'json'] as const) {
        assert.equal(typeof JSON.parse(messageOf(format, notice, url)), 'object');
      }
    }),
  );
});

function assertSlackText({ type, text }: Text, longest: number): void {
  assert.ok(text.length > 0 && text.length <= longest, text);
  assert.doesNotMatch(text, /&(?!(amp|lt|gt);)/);
  if (type === 'plain_text') assert.doesNotMatch(text, /[<>]/);
}

function slack(notice: AlertNotice, url?: string): SlackBody {
  return JSON.parse(messageOf('slack', notice, url)) as SlackBody;
}

function discord(notice: AlertNotice, url?: string): DiscordBody {
  return JSON.parse(messageOf('discord', notice, url)) as DiscordBody;
}

/** The message without Discord's backslashes. */
function textOf(body: string): string {
  return body.replaceAll('\\\\', '');
}
