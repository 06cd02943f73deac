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

export type LastError = {
  error_class: string | null;
  message: string | null;
  response_code: number | null;
  at: string;
};

/** `answered 500`, or what happened in words where there is no message. */
export function lastErrorInWords({ message, error_class }: LastError): string {
  return message ?? (error_class === null ? 'not known' : errorInWords(error_class));
}

/** What to do at the receiving end, by what kept the last attempt from succeeding. */
const advice: Record<string, string> = {
  timeout:
    'Have your side answer 2xx as soon as it has the event, and do the work afterwards: it has 30 seconds.',
  dns: 'See whether the host in the URL is spelled right, and can be looked up from the server that Runcost runs on.',
  connect:
    'See whether something listens at the address and port of the URL, and whether a firewall lets this server through.',
  tls: 'See whether the certificate is still valid, is for this host, and is sent with its whole chain.',
  reset: 'See in the log of your side, and of any proxy before it, who closed the connection.',
  protocol: 'See whether the port in the URL is one that speaks HTTP.',
  response_too_large: 'Have your side answer with fewer headers.',
  refused_url: 'Give the webhook another URL: this one may not be called.',
  refused_address:
    'Give the webhook a URL whose host has a public address: this one stands for an address that may not be called.',
  internal: 'Look for this time in the log of Runcost.',
};

const answerAdvice: [isSuch: (code: number) => boolean, advice: string][] = [
  [(code) => code < 400, 'Give the webhook the address that it is sent on to: redirects are not followed.'],
  [
    (code) => code === 401 || code === 403,
    'Your side refuses it: see whether it checks signatures with the current secret, and asks for nothing else.',
  ],
  [
    (code) => code === 404 || code === 405 || code === 410,
    'Nothing takes a POST at this URL: correct the URL here, or the route on your side.',
  ],
  [(code) => code === 429, 'Your side asks for fewer requests: let it take more of them.'],
  [(code) => code < 500, 'Your side refuses it: see below what it answered.'],
  [() => true, 'Your side took the event and then broke: its own log of that time tells why.'],
];

/** What to do about an error, in a sentence or two. */
export function adviceFor({ error_class, response_code }: LastError): string {
  if (error_class === 'http_status' && response_code !== null)
    return answerAdvice.find(([isSuch]) => isSuch(response_code))![1];
  return advice[error_class ?? ''] ?? 'See below how each attempt went.';
}

/** What each status of a webhook means for its events. */
export const statusWords = {
  active: 'Events are sent as they happen.',
  failing:
    'New events are still sent, one at a time. The first that is answered with 2xx makes it active again.',
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
