import type { Logger } from 'pino';
import { dollars, toBillionths } from '../../../platform/lib/amountTexts.ts';
import { shortDay } from '../../../platform/lib/days.ts';
import { chartImage } from '../../channels/email/chart.ts';
import type { Message } from '../../channels/kind.ts';
import { wordingOf, type AlertNotice } from '../../channels/wording.ts';

type AlertMail = Awaited<ReturnType<NonNullable<Message['mail']>>>;

/** With a chart of the last weeks. The days before the alert's period are pale. */
export async function alertMail(
  notice: AlertNotice,
  dashboardUrl: string,
  log: Pick<Logger, 'warn'>,
): Promise<AlertMail> {
  const wording = wordingOf(notice, dashboardUrl);
  const { alert, daily = [], period, resolved } = notice;
  const days = daily.map(({ day, cost }) => ({
    day,
    costNanos: toBillionths(cost),
    previousNanos: null,
    isPale: day < period.start,
  }));
  const highest = days.toSorted((a, b) => Number(b.costNanos - a.costNanos))[0];
  if (resolved || !highest || highest.costNanos === 0n) return { wording };
  const image = await chartImage(days, log);
  const title = alert.measure === 'net_cost' ? 'Daily net cost' : 'Daily cost';
  const span = `${title}, ${shortDay(days[0]!.day)} to ${shortDay(days.at(-1)!.day)}`;
  const pale = days[0]!.isPale ? ' Gray days are before the period.' : '';
  const text = `${span}. Highest: ${dollars(highest.costNanos)} on ${shortDay(highest.day)}.${pale}`;
  const chart = { text, labels: [], source: image?.source ?? null };
  return { wording: { ...wording, chart }, ...(image && { images: image.images }) };
}
