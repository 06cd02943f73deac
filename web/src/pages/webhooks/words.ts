/** What happened where an attempt has failed, by the class of its error. */
const errors: Record<string, string> = {
  http_status: 'an answer other than 2xx',
  timeout: 'no answer within 30 seconds',
  dns: "the host's name could not be looked up",
  connect: 'no connection: refused, or unreachable',
  tls: 'no TLS connection: an expired or untrusted certificate, for example',
  reset: 'the connection was closed in the middle',
  protocol: 'what came was not HTTP',
  response_too_large: "the answer's headers were too long",
  refused_url: 'the URL may not be called',
  refused_address: 'the host stands for an address that may not be called',
  aborted: 'Runcost was stopped meanwhile',
  internal: "a fault of Runcost's own; its log tells more",
  expired: 'it waited until its body was no longer kept',
};

export function errorInWords(errorClass: string): string {
  return errors[errorClass] ?? errorClass.replaceAll('_', ' ');
}

/** What each status of a webhook means for its events. */
export const statusWords = {
  active: 'Events are sent as they happen.',
  failing: 'A delivery has failed all five attempts. New events still come, one at a time.',
  paused: 'Events are held for 30 days, and sent once it is resumed.',
} as const;

export const deliveryStatuses = [
  ['pending', 'Pending: attempts are to come'],
  ['success', 'Success: answered with 2xx'],
  ['failed', 'Failed: all attempts used up'],
  ['held', 'Held: waits until the webhook is active'],
] as const;

/** How an attempt went. */
export const outcomeWords = {
  in_flight: 'On its way',
  success: 'Accepted',
  failure: 'Failed',
  unknown: 'Not known: it may have arrived, and is made again',
} as const;

/** `84 ms`, `1.2 s`, `30 s`. */
export function milliseconds(value: number): string {
  return value < 1_000 ? `${value} ms` : `${Number((value / 1_000).toPrecision(3))} s`;
}
