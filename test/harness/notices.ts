import fc from 'fast-check';
import { alertTypes, type AlertTypeName } from '../../src/outreach/alerts/alertTypes.ts';
import { discordBody } from '../../src/outreach/channels/discord/discord.ts';
import { slackBody } from '../../src/outreach/channels/slack/slack.ts';
import { teamsBody } from '../../src/outreach/channels/teams/teams.ts';
import type { AlertNotice } from '../../src/outreach/channels/wording.ts';
import { alertMessage } from '../../src/outreach/notifications/sendThroughChannel.ts';
import { formatNanos } from '../../src/platform/lib/money.ts';

export const dashboardUrl = 'https://runcost.acme.example/';
/** The page of the alert in these notices. */
export const alertUrl = `${dashboardUrl}alerts/0b7c1f0e-7c1e-4f35-9f3e-5a3f2f1c9d10`;
export const unsubscribeUrl = `${dashboardUrl}unsubscribe/runcost_unsubscribe_${'0'.repeat(97)}`;

export function withWords(notice: Omit<AlertNotice, 'words'>): AlertNotice {
  return { ...notice, words: alertTypes[notice.alert.type as AlertTypeName].message(notice) };
}

const bodies = { slack: slackBody, teams: teamsBody, discord: discordBody };
export type ChatFormat = keyof typeof bodies | 'json';

/** What a chat gets. */
export function chatMessage(format: ChatFormat, notice: AlertNotice, url: string): string {
  const { wording, data } = alertMessage(notice, 'trg_1', url);
  return JSON.stringify(format === 'json' ? data : bodies[format](wording));
}

/** An exceeded budget of a thousand dollars. */
export const budgetNotice = withWords({
  alert: { id: '0b7c1f0e-7c1e-4f35-9f3e-5a3f2f1c9d10', name: 'Monthly CI budget', type: 'budget' },
  organization: 'acme',
  currentValue: '1284.5512',
  thresholdValue: '1000',
  observed: '1284.5512',
  baseline: null,
  period: { start: '2026-06-01', end: '2026-06-30' },
  triggeredAt: '2026-06-18T06:03:11.000Z',
  workflows: [
    { workflow: 'Build and test', repository: 'acme/web', cost: '612.4', change: '312.4' },
    { workflow: 'Nightly end-to-end', repository: 'acme/mobile-app', cost: '301.12', change: '120.02' },
    { workflow: 'Lint', repository: 'acme/web', cost: '12.064', change: '-4.008' },
  ],
});

/** A day that cost almost three times as much as usual. */
export const anomalyNotice = withWords({
  ...budgetNotice,
  alert: { ...budgetNotice.alert, name: 'Daily spike', type: 'anomaly' },
  currentValue: '182.734512345',
  thresholdValue: '50',
  observed: '412.2',
  baseline: '145.8',
  period: { start: '2026-06-17', end: '2026-06-17' },
});

const unit = fc.oneof(
  fc.constantFrom(...'& < > " \' ` * _ ~ | \\ [ ] ( ) # @ : - = { } $ %'.split(' ')),
  fc.constantFrom('\r', '\n', '\0', '\u2028', '\u202E', '\u200F', '\uFEFF', '統', '🚀', '\u{FFFD}'),
  fc.constantFrom('<!channel>', '@everyone', '<@1>', '](https://evil.example)', '\uD83D', '{{DATE(x)}}', ' '),
  fc.string({ unit: 'binary', maxLength: 4 }),
);
const name = fc.array(unit, { maxLength: 120 }).map((units) => units.join(''));
const longName = fc.constantFrom('&', '<', 'x', '統', '🚀', '_', ' y').map((text) => text.repeat(8000));
const anyName = fc.oneof({ weight: 4, arbitrary: name }, { weight: 1, arbitrary: longName });
const amount = fc.bigInt({ min: 0n, max: 10n ** 18n }).map(formatNanos);
const change = fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n }).map(formatNanos);
const instant = fc.date({ min: new Date('2000-01-01'), max: new Date('2099-12-31'), noInvalidDate: true });
const day = instant.map((date) => date.toISOString().slice(0, 10));

/** Notices with hostile names. All other fields are as the program makes them. */
export const notices: fc.Arbitrary<AlertNotice> = fc
  .record({
    alert: fc.record({ id: fc.uuid(), name: anyName, type: fc.constantFrom('budget', 'anomaly') }),
    organization: anyName,
    currentValue: amount,
    thresholdValue: amount,
    observed: amount,
    baseline: fc.option(amount),
    period: fc.record({ start: day, end: day }),
    triggeredAt: instant.map((date) => date.toISOString()),
    workflows: fc.array(fc.record({ workflow: anyName, repository: anyName, cost: amount, change }), {
      maxLength: 5,
    }),
  })
  .map(withWords);

export const dashboardUrls = fc.constantFrom(dashboardUrl, 'http://127.0.0.1:8080/a|b(c)/');
