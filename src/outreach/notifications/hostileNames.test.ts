import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  chatMessage,
  alertUrl,
  budgetNotice,
  dashboardUrl,
  withWords,
} from '../../../test/harness/notices.ts';
import type { AlertNotice } from '../channels/wording.ts';
import { alertEmail } from './email/send.ts';

const invisible = [
  0x00_ad,
  0x06_1c,
  0x18_0e,
  0xfe_ff,
  0xe_00_41,
  ...range(0x20_0b, 0x20_0f),
  ...range(0x20_2a, 0x20_2e),
  ...range(0x20_60, 0x20_69),
].map((codePoint) => String.fromCodePoint(codePoint));

const names: Record<string, string> = {
  HTML: '<script>alert(1)</script><img src=x onerror=alert(1)> " onload="x" \' </td></table>',
  'HTML, escaped already': '&lt;script&gt; &amp;amp; &#60;b&#62;',
  "Slack's links and mentions": '<https://evil.example|Sign in> <!channel> <!everyone> <!here> <@U1> <#C1>',
  "Slack's formatting": '*bold* _italic_ ~struck~ `code` ```block``` > quote',
  pings: '@everyone @here @channel @all <at>everyone</at> <@1> <@&1> <#1> <t:1:R> <:a:1>',
  Markdown: '[Sign in](https://evil.example) ![x](https://evil.example/x.png) **b** __u__ # h ||s|| ~~s~~',
  'Markdown at the start of lines': 'x\n# Title\n> quote\n- item\n1. item\n-# small\n```\ncode',
  backslashes: String.raw`\ \\ \@everyone \[x\](https://evil.example) \u003cscript\u003e`,
  templates: '{{DATE(2026-01-01T00:00:00Z,SHORT)}} ${x} %s {0}',
  'line breaks': 'x\r\nBcc: eve@evil.example\r\n\r\nbody\u2028\u2029\u0085\v\f\n-- \nend',
  'control characters': 'x\0\u0007\b\u001B[31m\u007F\u009F\t',
  'another direction': '\u202Egnp.exe\u202C \u2067abc\u2069 \u200Fx',
  'invisible characters': invisible.map((character) => `a${character}b`).join(''),
  'halves of surrogate pairs': 'a\uD83Db\uDC00',
  '10,000 letters': 'x'.repeat(10_000),
  '10,000 words': 'x '.repeat(5_000),
  '10,000 line breaks': '\n'.repeat(10_000),
  '10,000 characters to escape': '<&>"@*'.repeat(1_667),
  '10,000 signs of two units': '🚀'.repeat(5_000),
  '10,000 turns': '\u202E'.repeat(10_000),
};

const unseen = new RegExp(`[${invisible.join('')}]|[^\\P{Cc}\\n]|[\\u2028\\u2029]`, 'u');

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

function noticeWith(name: string): AlertNotice {
  return withWords({
    ...budgetNotice,
    alert: { ...budgetNotice.alert, name },
    organization: name,
    workflows: Array.from({ length: 5 }, () => ({
      workflow: name,
      repository: name,
      cost: '1',
      change: '1',
    })),
  });
}

/** Each format of a message, and a check that a name in it does no harm. */
const forms: Record<string, (name: string) => void> = {
  Slack: (name) => {
    const body = chat('slack', name);
    // Formatted text has no name in it.
    assert.deepEqual(textsOf(body, 'mrkdwn'), textsOf(chat('slack', 'x'), 'mrkdwn'));
    assert.equal(body.mrkdwn, false);
    assert.doesNotMatch(body.text, /[@\n]/);
    for (const text of [body.text, ...textsOf(body, 'plain_text')]) {
      assert.doesNotMatch(text, /[<>]|&(?!(amp|lt|gt);)/);
      assert.ok(text.length <= 3000);
    }
    assert.equal(linesIn(body), linesIn(chat('slack', 'x')));
  },
  Teams: (name) => {
    const body = chat('teams', name);
    for (const run of textsOf(body, 'TextRun')) assert.doesNotMatch(run, /\n/);
    // Names are in text runs only, which are not read as Markdown.
    assert.deepEqual(withoutTextRuns(body), withoutTextRuns(chat('teams', 'x')));
    assert.ok(JSON.stringify(body).length <= 28_000);
  },
  Discord: (name) => {
    const body = chat('discord', name);
    assert.deepEqual(body.allowed_mentions, { parse: [] });
    const [{ title, description, ...rest }] = body.embeds;
    const [plain] = chat('discord', 'x').embeds;
    assert.deepEqual(markupIn(title), markupIn(plain.title));
    assert.deepEqual(markupIn(description), markupIn(plain.description));
    assert.deepEqual(rest, { color: plain.color, fields: plain.fields });
    assert.ok(title.length <= 256 && description.length <= 4096);
  },
  'plain JSON': (name) => {
    const { alert, organization, workflows, ...rest } = chat('json', name);
    const { alert: _, organization: __, workflows: ___, ...plain } = chat('json', 'x');
    assert.deepEqual(rest, plain);
    const shown = [alert.name, organization, ...workflows.map((row: { workflow: string }) => row.workflow)];
    for (const text of shown) assert.ok(text.length <= 255 && !text.includes('\n'), text);
  },
  'text mail': (name) => {
    const { subject, text } = mail(name);
    assert.doesNotMatch(subject + text, unseen);
    assert.ok(subject.length < 160 && !subject.includes('\n'), subject);
    const lines = text.split('\n');
    for (const line of lines) assert.ok(line.length <= 76, line);
    for (const line of ['', '-- ', 'Open the alert:', alertUrl]) {
      const plain = mail('x').text.split('\n');
      assert.equal(lines.filter((it) => it === line).length, plain.filter((it) => it === line).length, line);
    }
  },
  'HTML mail': (name) => {
    const { html } = mail(name);
    assert.doesNotMatch(html, unseen);
    assert.deepEqual(html.match(/<[^>]*>?/g), mail('x').html.match(/<[^>]*>?/g));
    assert.doesNotMatch(html, /&(?!(amp|lt|gt|quot|#39);)/);
    assert.ok(Buffer.byteLength(html) < 100_000); // a well-known email client cuts there
  },
};

for (const [form, assertHarmless] of Object.entries(forms)) {
  describe(`${form} is not harmed by names made of`, () => {
    for (const [kind, name] of Object.entries(names)) test(kind, () => assertHarmless(name));

    test('all of these, in any order', () => {
      const part = fc.constantFrom(...Object.values(names).map((name) => name.slice(0, 60)));
      const name = fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(''));
      fc.assert(fc.property(name, assertHarmless), { numRuns: 50 });
    });
  });
}

test('removes invisible characters and half pairs for every chat', () => {
  for (const name of Object.values(names)) {
    for (const format of ['slack', 'teams', 'discord', 'json'] as const) {
      for (const text of leavesOf(chat(format, name))) {
        assert.doesNotMatch(text, unseen);
        assert.ok(text.isWellFormed());
      }
    }
  }
});

test('keeps emoji', () => {
  assert.match(mail('🛠️ Büro 統').subject, /🛠️ Büro 統/u);
});

// oxlint-disable-next-line typescript/no-explicit-any -- a test says what it expects of a message by reading it
function chat(format: 'slack' | 'teams' | 'discord' | 'json', name: string): any {
  return JSON.parse(chatMessage(format, noticeWith(name), dashboardUrl));
}

function mail(name: string): ReturnType<typeof alertEmail> {
  return alertEmail(noticeWith(name), { dashboardUrl, unsubscribeUrl: dashboardUrl, isMember: true });
}

/** All texts of the message except keys. */
function leavesOf(item: unknown): string[] {
  if (typeof item === 'string') return [item];
  return typeof item === 'object' && item !== null ? Object.values(item).flatMap(leavesOf) : [];
}

/** The texts of all items of a type. */
function textsOf(item: unknown, type: string): string[] {
  if (typeof item !== 'object' || item === null) return [];
  const { type: own, text } = item as { type?: unknown; text?: unknown };
  const inside = Object.values(item).flatMap((value) => textsOf(value, type));
  return own === type && typeof text === 'string' ? [text, ...inside] : inside;
}

function withoutTextRuns(item: unknown): unknown {
  return JSON.parse(
    JSON.stringify(item, (_key, value: { type?: string } | null) =>
      value?.type === 'TextRun' ? { ...value, text: '' } : value,
    ),
  );
}

function linesIn(item: unknown): number {
  return leavesOf(item).join('').split('\n').length;
}

/** The unescaped characters with a meaning in Discord. */
function markupIn(text: string): string[] {
  return (text.replace(/\\[!-/:-@[-`{-~]/g, '').match(/[\\*_~`|<>[\]()#@\n]/g) ?? []).toSorted();
}
