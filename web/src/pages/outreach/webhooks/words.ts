import { plainError } from '../../../ui/plainError.ts';

const errors: Record<string, string> = {
  http_status: 'a response other than 2xx',
  timeout: 'no response within 30 seconds',
  dns: 'DNS lookup failed',
  connect: 'connection refused, or host unreachable',
  tls: 'TLS failed, for example because of an expired or untrusted certificate',
  reset: 'the connection closed early',
  protocol: 'the response was not HTTP',
  response_too_large: 'the response headers were too long',
  refused_url: 'this URL is not allowed',
  refused_address: 'the host resolves to an address that is not allowed',
  aborted: 'Runcost stopped during the attempt',
  internal: 'an internal error of Runcost; see its log',
  expired: 'it waited until its body expired',
};

export function errorInWords(errorClass: string): string {
  return errors[errorClass] ?? errorClass.replaceAll('_', ' ');
}

export type LastError = {
  error_class: string | null;
  message: string | null;
  response_code: number | null;
  at: string;
};

export function lastErrorInWords({ message, error_class }: LastError): string {
  if (message !== null) return plainError(message);
  return error_class === null ? 'unknown' : errorInWords(error_class);
}

export function answerInWords({ response_code: code }: LastError): string {
  return code === null ? 'no response' : `HTTP ${code}`;
}

const advice: Record<string, string> = {
  timeout:
    'Respond with 2xx as soon as you have the event, and do the work afterwards. The limit is 30 seconds.',
  dns: 'Check that the host in the URL is spelled correctly, and that DNS on this server can resolve it.',
  connect:
    'Check that something listens at the address and port of the URL, and that no firewall blocks this server.',
  tls: 'Check that the certificate is valid, is for this host, and is sent with its full chain.',
  reset: 'Check the log of your server, and of any proxy in front of it, to see what closed the connection.',
  protocol: 'Check that the port in the URL speaks HTTP.',
  response_too_large: 'Respond with fewer headers.',
  refused_url: 'Change the URL. This one is not allowed.',
  refused_address: 'Use a host with a public address. This one resolves to an address that is not allowed.',
  internal: 'Check the log of Runcost for this time.',
};

const answerAdvice: [isSuch: (code: number) => boolean, advice: string][] = [
  [(code) => code < 400, 'Use the final address: redirects are not followed.'],
  [
    (code) => code === 401 || code === 403,
    'Your server rejects it. Check that it verifies signatures with the current secret, and needs nothing else.',
  ],
  [
    (code) => code === 404 || code === 405 || code === 410,
    'Nothing accepts a POST at this URL: correct the URL here, or the route on your server.',
  ],
  [(code) => code === 429, 'Your server asks for fewer requests. Raise its limit.'],
  [(code) => code < 500, 'Your server rejects it. See its response below.'],
  [() => true, 'Your server received the event and then failed. Check its own log for that time.'],
];

export function adviceFor({ error_class, response_code }: LastError): string {
  if (error_class === 'http_status' && response_code !== null)
    return answerAdvice.find(([isSuch]) => isSuch(response_code))![1];
  return advice[error_class ?? ''] ?? 'See each attempt below.';
}

export const statusWords = {
  active: 'We send events as they happen.',
  failing: 'We still send new events, one at a time. The first 2xx response makes the webhook active again.',
  paused: 'We hold events for 30 days and send them when you resume.',
} as const;

export const deliveryStatuses = [
  ['pending', 'Pending: more attempts to come'],
  ['success', 'Success: 2xx response'],
  ['failed', 'Failed: all attempts used'],
  ['held', 'Held: waiting until the webhook is active'],
] as const;

/** The share of successful deliveries among those that ended; null if none has ended. */
export function arrivedFraction(statuses: readonly string[]): number | null {
  const arrived = statuses.filter((status) => status === 'success').length;
  const ended = arrived + statuses.filter((status) => status === 'failed').length;
  return ended === 0 ? null : arrived / ended;
}

export function arrivedInWords(statuses: readonly string[]): string {
  if (statuses.length === 0) return '–';
  const arrived = arrivedFraction(statuses);
  return arrived === null ? 'none ended' : `${Math.floor(100 * arrived)}% arrived`;
}

export const outcomeWords = {
  in_flight: 'In progress',
  success: 'Accepted',
  failure: 'Failed',
  unknown: 'Unknown: it may have arrived. We retry.',
} as const;

export function milliseconds(value: number): string {
  return value < 1_000 ? `${value} ms` : `${Number((value / 1_000).toPrecision(3))} s`;
}
