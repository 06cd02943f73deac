import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  alertUrl,
  anomalyNotice,
  budgetNotice,
  dashboardUrl,
  dashboardUrls,
  withWords,
  notices,
  unsubscribeUrl,
} from '../../../../test/harness/notices.ts';
import type { AlertNotice } from '../../channels/wording.ts';
import { alertEmail } from './send.ts';

const mailOf = (notice: AlertNotice) =>
  alertEmail(withWords(notice), { dashboardUrl, unsubscribeUrl, isMember: true });

test("the text has a budget's name, amount, period, cause and link", () => {
  const { subject, text } = mailOf(budgetNotice);
  assert.equal(subject, 'Budget exceeded: Monthly CI budget ($1,284.55, threshold $1,000.00)');
  assert.equal(
    text,
    `Budget exceeded: Monthly CI budget

acme has spent $1,284.55, which is $284.55 over the budget of $1,000.00.

  Spent       $1,284.55
  Budget      $1,000.00
  Over by     $284.55
  Period      Jun 1 to Jun 30, 2026 (UTC)
  Triggered   Jun 18, 2026, 06:03 UTC

Largest increases:

     Cost    Change  Workflow
  $612.40  +$312.40  Build and test (acme/web)
  $301.12  +$120.02  Nightly end-to-end (acme/mobile-app)
   $12.06    −$4.01  Lint (acme/web)

Open the alert:
${alertUrl}

-- 
You get this email because you are an owner or admin of acme with alert
emails on.
Unsubscribe from alert emails:
${unsubscribeUrl}
Open this alert to acknowledge it, change it or turn it off for everybody.
`,
  );
});

test('the text describes an anomaly in percent and dollars', () => {
  const { subject, text } = mailOf(anomalyNotice);
  assert.equal(subject, 'Spending spike: Daily spike (+182.7%, threshold 50%)');
  assert.match(text, /acme has spent \$412\.20 instead of the usual \$145\.80: a rise of 182\.7%, over\nthe/);
  assert.match(text, /Rise +182\.7%\n +Threshold +50%\n +Spent +\$412\.20\n +Usually +\$145\.80\n/);
  assert.match(text, /Period +Jun 17, 2026 \(UTC\)\n/);
});

test('a day that was not over when it triggered is compared with the same hours', () => {
  const { text } = mailOf({ ...anomalyNotice, period: { start: '2026-06-18', end: '2026-06-18' } });
  assert.match(text, /instead of the usual \$145\.80 by then:/);
  assert.match(text, /Usually by then +\$145\.80\n/);
  assert.doesNotMatch(mailOf(anomalyNotice).text, /by then/);
});

test('without a baseline, the text does not say what is usual', () => {
  const { text, html } = mailOf({ ...anomalyNotice, baseline: null });
  assert.doesNotMatch(text + html, /usual/i);
  assert.match(text, /acme has spent \$412\.20: a rise of 182\.7%/);
});

test('a period across new year names both years', () => {
  const { text } = mailOf({ ...budgetNotice, period: { start: '2026-12-28', end: '2027-01-03' } });
  assert.match(text, /Dec 28, 2026 to Jan 3, 2027 \(UTC\)/);
});

test('a budget exceeded by almost nothing does not read as met', () => {
  const { subject, text } = mailOf({ ...budgetNotice, currentValue: '1000.000000001' });
  assert.match(subject, /\(\$1,000\.000000001, threshold \$1,000\.00\)/);
  assert.match(text, /Over by +\$0\.000000001\n/);
});

test('without workflows there is no table', () => {
  const { text, html } = mailOf({ ...budgetNotice, workflows: [] });
  assert.doesNotMatch(text + html, /behind the rise/);
});

test('the HTML has the same details', () => {
  for (const notice of [budgetNotice, anomalyNotice]) {
    const { text, html } = mailOf(notice);
    const shown = html.replace(/<style>.*<\/style>|<[^>]*>/gs, ' ').replace(/\s+/g, ' ');
    const figures = text.match(/[+-]?\$[\d.,]*\d|[\d.]+%/g) ?? [];
    assert.ok(figures.length > 5);
    for (const figure of figures) assert.ok(shown.includes(figure), figure);
    const { workflows } = notice;
    for (const { workflow, repository } of workflows) {
      const at = shown.indexOf(` ${workflow} `);
      const row = shown.slice(at, shown.indexOf(` ${repository} `, at));
      assert.match(row, /^[^$]+\$[\d.,]+(?: [+−-]\$[\d.,]+)?$/);
    }
    assert.ok(
      shown.includes('Unsubscribe from alert emails') && shown.includes('Open this alert to acknowledge it'),
    );
    assert.doesNotMatch(shown, /api\/v1|notify_email/);
    assert.ok(html.includes(`href="${unsubscribeUrl}"`));
  }
});

test('escapes values in the HTML', () => {
  const name = `<img src=x onerror="alert('1')">&amp;`;
  const notice = withWords({
    ...budgetNotice,
    alert: { ...budgetNotice.alert, name },
    organization: name,
    workflows: [{ workflow: name, repository: name, cost: '1', change: '1' }],
  });
  const hostile = 'https://runcost.acme.example/"><script>';
  const { html } = alertEmail(notice, { dashboardUrl: hostile, unsubscribeUrl: hostile, isMember: true });
  const escaped = '&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;amp;';
  assert.equal(html.split(escaped).length - 1, 7); // title, preview, heading, sentence, workflow, repository, reason
  assert.doesNotMatch(html, /<img|<script/);
});

test('the HTML loads nothing external and supports dark mode', () => {
  const { html } = mailOf(budgetNotice);
  assert.doesNotMatch(html, /\ssrc=|url\(|@import|<link/);
  assert.deepEqual(html.match(/https?:[^"\s]+/g), [alertUrl, unsubscribeUrl]);
  assert.match(html, /<meta name="color-scheme" content="light dark"/);
  assert.match(html, /prefers-color-scheme: dark/);
});

test('line breaks in names start neither a header nor a line', () => {
  const { subject, text } = mailOf({
    ...budgetNotice,
    alert: { ...budgetNotice.alert, name: 'CI\r\nBcc: eve@evil.example\u2028\u0000end' },
    organization: 'acme\n-- \nevil',
  });
  assert.match(subject, /^Budget exceeded: CI Bcc: eve@evil\.example end \(/);
  assert.equal(text.split('\n').filter((line) => line === '-- ').length, 1);
});

test("a name of only spaces is replaced by the alert's id", () => {
  const { subject } = mailOf({ ...budgetNotice, alert: { ...budgetNotice.alert, name: ' \u202E ' } });
  assert.match(subject, /^Budget exceeded: 0b7c1f0e-7c1e-4f35-9f3e-5a3f2f1c9d10 \(/);
});

test('East Asian characters count as two columns', () => {
  const { text } = mailOf({ ...budgetNotice, organization: '統'.repeat(100) });
  assert.deepEqual(text.match(/統+/g)?.slice(0, 3), ['統'.repeat(38), '統'.repeat(38), '統'.repeat(24)]);
});

test('whatever the names, the subject is one line, the text narrow and the HTML complete', () => {
  const emptyTags = (notice: AlertNotice, url: string) =>
    tagsOf(alertEmail(harmless(notice), { dashboardUrl: url, unsubscribeUrl, isMember: true }).html);
  fc.assert(
    fc.property(notices, dashboardUrls, (notice, url) => {
      const { subject, text, html } = alertEmail(notice, {
        dashboardUrl: url,
        unsubscribeUrl,
        isMember: true,
      });
      assert.doesNotMatch(subject, /[\p{Cc}\u2028\u2029]/u);
      assert.ok(subject.length < 160, subject);
      assert.ok(subject.isWellFormed() && text.isWellFormed() && html.isWellFormed());
      for (const line of text.replace(unsubscribeUrl, '').split('\n')) assert.ok(line.length <= 76, line);
      assert.deepEqual(tagsOf(html), emptyTags(notice, url));
      assert.doesNotMatch(html, /&(?!(amp|lt|gt|quot|#39);)/);
    }),
  );
});

/** The notice with names that need no escaping. */
function harmless(notice: AlertNotice): AlertNotice {
  return withWords({
    ...notice,
    alert: { ...notice.alert, name: 'x' },
    organization: 'x',
    workflows: notice.workflows.map((workflow) => ({ ...workflow, workflow: 'x', repository: 'x' })),
  });
}

function tagsOf(html: string): string[] {
  return html.match(/<[^>]*>?/g) ?? [];
}
