import { capital } from '../../platform/lib/text.ts';
import type { ChannelKind, Delivered, Message, Outlet } from './kind.ts';

type Post = {
  url: string;
  body: object;
  timeoutMilliseconds: number;
  /** Within a sentence: "PagerDuty", "the receiver". */
  receiver: string;
  /** What statuses mean, for this receiver alone. */
  meanings?: Record<number, string>;
};

/** Posts JSON. Statuses 408 and 429 ask to try again later, as those from 500 do. */
export async function postJson(
  { egress }: Pick<Outlet, 'egress'>,
  { url, body, timeoutMilliseconds, receiver, meanings = {} }: Post,
): Promise<Delivered> {
  const outcome = await egress.post({
    url,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: Buffer.from(JSON.stringify(body)),
    timeoutMilliseconds,
  });
  if (outcome.kind === 'failure') {
    const { message } = outcome;
    const advice = `Could not reach ${receiver}: ${message}.`;
    return { isDelivered: false, statusCode: null, reason: message, advice, isPermanent: false };
  }
  const { statusCode } = outcome;
  if (statusCode >= 200 && statusCode < 300) return { isDelivered: true, statusCode };
  const reason = `${receiver} answered ${statusCode}`;
  return {
    isDelivered: false,
    statusCode,
    reason,
    advice: `${capital(reason)}: ${meanings[statusCode] ?? meaningOf(statusCode)}`,
    isPermanent: statusCode >= 400 && statusCode < 500 && ![408, 429].includes(statusCode),
  };
}

function meaningOf(statusCode: number): string {
  if (statusCode >= 300 && statusCode < 400) {
    return 'it redirects, and Runcost follows no redirects. Use the address that it redirects to.';
  }
  if ([401, 403, 404, 410].includes(statusCode)) {
    return 'it does not take messages at this address. Create a new address there and use it.';
  }
  if (statusCode === 429) return 'it received too many messages. Try again in a minute.';
  if (statusCode === 408 || statusCode >= 500) return 'it has a problem. Try again later.';
  return 'it refused the message. Check that the channel is of the right kind.';
}

type IncomingWebhook = Pick<ChannelKind, 'title' | 'description'> & {
  help: string;
  example: string;
  /** Its title by default. */
  receiver?: string;
  body: (message: Message) => object;
};

/** A kind whose only field is the secret address to which messages are posted. */
export function incomingWebhook({
  title,
  description,
  help,
  example,
  receiver = title,
  body,
}: IncomingWebhook): ChannelKind {
  return {
    title,
    description,
    fields: { url: { title: 'Incoming webhook address', type: 'url', isSecret: true, help, example } },
    deliver: (outlet, message, { values, timeoutMilliseconds }) => {
      const url = values.url as string;
      return postJson(outlet, { url, body: body(message), timeoutMilliseconds, receiver });
    },
  };
}
