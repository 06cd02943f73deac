import type { Logger } from 'pino';
import { apiFields } from '../../platform/lib/apiFields.ts';
import { usd, usdOrNull } from '../../platform/lib/money.ts';
import { writeSecret } from '../../tenancy/tokens/tokens.ts';
import { chartImage, chartSvg, sparkline } from '../channels/email/chart.ts';
import type { Mail } from '../channels/email/mailer.ts';
import { emailOf } from '../channels/email/message.ts';
import { dashboardOf, shownName, type Reason, type Wording } from '../channels/wording.ts';
import type { DigestMessages } from '../notifications/context.ts';
import { chartLabels, chartText, digestWording, type DigestFigures } from './content.ts';
import { digestRows, findRecipient, type Recipient } from './queries.ts';

/** Of the default channel, as programs from before know it. An address may follow. */
export const chatRecipient = 'chat';

/** Stored until it is sent. `recipient` is as in `digest_sendings`. */
type DigestNotice = { digest: { id: string; recipient: string }; figures: unknown };

export const digestMessages: DigestMessages = {
  isDigest: (notice): notice is DigestNotice => (notice as Partial<DigestNotice>).digest !== undefined,

  email: async ({ db, publicUrl, log }, { orgId, notice }) => {
    const { digest, figures } = notice as DigestNotice;
    const recipient = await findRecipient(db, orgId, digest.recipient);
    const isOn = (await digestRows.find(db, { orgId, id: digest.id }))?.enabled;
    const isWanted = recipient && recipient.unsubscribedAt === null && isOn;
    if (!isWanted) return null;
    return mailTo(recipient, readFigures(figures), { publicUrl, log });
  },

  channel: async (program, { orgId, channelId, notice }) => {
    const { digest: sent, figures: stored } = notice as DigestNotice;
    const digest = await digestRows.find(program.db, { orgId, id: sent.id });
    if (!digest?.enabled) return null;
    const isOfChat = digest.chat && sent.recipient.split(' ', 1)[0] === chatRecipient;
    if (!isOfChat && !digest.channelIds.includes(channelId ?? '')) return null;
    const figures = readFigures(stored);
    const dashboardUrl = dashboardOf(program, orgId);
    return {
      wording: chatWording(figures, dashboardUrl),
      data: { event: 'digest', ...figuresView(figures) },
      mail: async () => {
        const chart = await chartOf(figures, program.log);
        const wording = emailWording(figures, dashboardUrl, chart?.source ?? null);
        return { wording, ...(chart && { images: chart.images }) };
      },
    };
  },
};

type Sender = { publicUrl: () => string; log: Pick<Logger, 'warn'> };

/** Includes the recipient's unsubscribe link. */
export async function mailTo(
  recipient: Recipient,
  figures: DigestFigures,
  { publicUrl, log }: Sender,
): Promise<Omit<Mail, 'messageId'>> {
  const link = unsubscribeLink(publicUrl(), recipient);
  const reasons = reasonsFor(figures, recipient, link);
  const mail = await digestMail(figures, {
    dashboardUrl: dashboardOf({ publicUrl }, recipient.orgId),
    reasons,
    log,
  });
  return { ...mail, to: recipient.address, unsubscribeUrl: link };
}

type Rendering = { dashboardUrl: string; reasons: Reason[]; log: Pick<Logger, 'warn'> };

export async function digestMail(
  figures: DigestFigures,
  { dashboardUrl, reasons, log }: Rendering,
): Promise<Omit<Mail, 'to' | 'messageId'>> {
  const chart = await chartOf(figures, log);
  const email = emailOf(emailWording(figures, dashboardUrl, chart?.source ?? null), reasons);
  return { ...email, ...(chart && { images: chart.images }) };
}

async function chartOf({ totalNanos, daily }: DigestFigures, log: Rendering['log']) {
  return totalNanos === 0n ? null : chartImage(daily, log);
}

/** For browsers, without the rest of a message. */
export function previewMail(figures: DigestFigures, dashboardUrl: string) {
  const svg = Buffer.from(chartSvg(figures.daily)).toString('base64');
  const source = figures.totalNanos === 0n ? null : `data:image/svg+xml;base64,${svg}`;
  return emailOf(emailWording(figures, dashboardUrl, source), [
    'This is a preview: nothing was sent. Emails have an unsubscribe link here.',
  ]);
}

function emailWording(figures: DigestFigures, dashboardUrl: string, source: string | null): Wording {
  const wording = digestWording(figures, dashboardUrl);
  if (figures.totalNanos === 0n) return wording;
  return { ...wording, chart: { text: chartText(figures), labels: chartLabels(figures), source } };
}

/** Chats load images from public addresses only, so the chart is a line of text. */
function chatWording(figures: DigestFigures, dashboardUrl: string): Wording {
  const wording = digestWording(figures, dashboardUrl);
  if (figures.totalNanos === 0n) return wording;
  const chart = { heading: 'Daily cost', items: [`${sparkline(figures.daily)}  ${chartText(figures)}`] };
  return { ...wording, lists: [chart, ...wording.lists!] };
}

function reasonsFor(
  { organization, frequency }: DigestFigures,
  { memberId }: Recipient,
  link: string,
): Reason[] {
  const name = shownName(organization);
  return [
    memberId === null
      ? `You get this email because an admin of ${name} added your address to this ${frequency} digest.`
      : `You get this email because you are a recipient of this ${frequency} digest of ${name}.`,
    { label: 'Unsubscribe from this digest', url: link },
  ];
}

function unsubscribeLink(address: string, { orgId, id, unsubscribeSecret: secret }: Recipient): string {
  return `${address}/unsubscribe/digest/${writeSecret('digest', { orgId, id, secret })}`;
}

/** Amounts are stored as text. */
function readFigures(stored: unknown): DigestFigures {
  return JSON.parse(JSON.stringify(stored), (name, value: unknown) =>
    name.endsWith('Nanos') && typeof value === 'string' ? BigInt(value) : value,
  );
}

/** For programs, with exact amounts. */
export function figuresView({ forecast, saving, ...figures }: DigestFigures) {
  const { frequency, organization, team, actorKind = null, period, previousPeriod, totalNanos } = figures;
  return {
    ...apiFields({ frequency, organization, team, actorKind, period, previousPeriod, totalNanos }),
    previous_total: usdOrNull(figures.previousNanos),
    daily: figures.daily.map(({ day, costNanos }) => ({ date: day, cost: usd(costNanos) })),
    forecast: forecast && {
      month: forecast.month,
      cost: usd(forecast.projectedNanos),
      low: usdOrNull(forecast.lowNanos),
      high: usdOrNull(forecast.highNanos),
      left_out_days: forecast.leftOutDays,
    },
    budgets: figures.budgets.map(apiFields),
    risers: figures.risers.map(apiFields),
    saving: saving && apiFields(saving),
  };
}
