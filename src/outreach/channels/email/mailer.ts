import { createTransport, type NodemailerError } from 'nodemailer';

export type Mail = {
  to: string;
  subject: string;
  text: string;
  html: string;
  /** The part of the Message-ID before the `@`. */
  messageId: string;
  unsubscribeUrl?: string;
  /** Shown where the HTML refers to them, as `cid:` and the name. */
  images?: { name: string; png: Buffer }[];
};

export type Mailer = {
  /** Throws a `MailFailure`, at the latest after the given time, which is a minute by default. */
  send: (mail: Mail, maxMilliseconds?: number) => Promise<void>;
  close: () => void;
};

/** Contains no secrets. */
export type MailFailure = Error & { isPermanent: boolean };

type Timeouts = { connectMilliseconds: number; socketMilliseconds: number; totalMilliseconds: number };

/** The total limits a server that keeps talking without progress, which the other two miss. */
const usualTimeouts: Timeouts = {
  connectMilliseconds: 10_000,
  socketMilliseconds: 30_000,
  totalMilliseconds: 60_000,
};

export function createMailer(
  { smtpUrl, from }: { smtpUrl: string; from: string },
  timeouts: Timeouts = usualTimeouts,
): Mailer {
  const transport = createTransport({
    url: withKeptOptions(smtpUrl), // its options would override the following ones
    pool: true,
    connectionTimeout: timeouts.connectMilliseconds, // DNS, connection and greeting
    socketTimeout: timeouts.socketMilliseconds,
    requireTLS: needsTls(smtpUrl), // overrides ignoreTLS and opportunisticTLS
    maxRequeues: 1, // for a connection that the server has dropped; the worker does all other retries
  });
  const domain = /@([^@\s>]+)>?\s*$/.exec(from)?.[1] ?? 'localhost';
  const secrets = secretsOf(smtpUrl);
  return {
    send: async (
      { to, subject, text, html, messageId, unsubscribeUrl, images = [] },
      maxMilliseconds = timeouts.totalMilliseconds,
    ) => {
      try {
        await transport.sendMail({
          from,
          to: { name: '', address: to }, // as an address, so that a comma in it does not add recipients
          subject,
          text,
          html,
          attachments: images.map(({ name, png }) => ({
            cid: name,
            content: png,
            contentType: 'image/png',
            filename: `${name}.png`,
            contentDisposition: 'inline' as const,
          })),
          messageId: `<${messageId}@${domain}>`,
          headers: {
            'Auto-Submitted': 'auto-generated', // RFC 3834: no out-of-office replies
            ...(unsubscribeUrl && unsubscribeHeaders(unsubscribeUrl)),
          },
          signal: AbortSignal.timeout(maxMilliseconds),
        });
      } catch (error) {
        throw failureOf(error as NodemailerError, secrets);
      }
    },
    close: () => transport.close({ force: true }),
  };
}

/** For the unsubscribe button of email clients. One click without a page needs https (RFC 8058, 3.1). */
function unsubscribeHeaders(url: string): Record<string, string> {
  const oneClick = { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };
  return { 'List-Unsubscribe': `<${url}>`, ...(url.startsWith('https:') && oneClick) };
}

/** Nodemailer reads all its options from the URL, and others could change the server or drop TLS. */
const keptOptions = new Set([
  'name',
  'localAddress',
  'authMethod',
  'ignoreTLS',
  'opportunisticTLS',
  'maxConnections',
  'maxMessages',
  'rateDelta',
  'rateLimit',
  'connectionTimeout',
  'greetingTimeout',
  'socketTimeout',
  'tls.rejectUnauthorized',
  'tls.servername',
  'tls.minVersion',
]);

function withKeptOptions(smtpUrl: string): string {
  const url = new URL(smtpUrl);
  const kept = [...url.searchParams].filter(([name]) => keptOptions.has(name));
  url.search = new URLSearchParams(kept).toString();
  return url.href;
}

/** Otherwise a server, or an impostor, could request the password in clear text. */
function needsTls(smtpUrl: string): boolean {
  const { username, password, hostname, searchParams } = new URL(smtpUrl);
  const hasLogin = username !== '' || password !== '';
  const isHere = /^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname);
  return (hasLogin && !isHere) || searchParams.get('requireTLS') === 'true';
}

/** Nodemailer's own contains the server's responses. Somebody can fix a refused login or sender. */
function failureOf(error: NodemailerError, secrets: readonly string[]): MailFailure {
  const isRefusal = error.permanent === true && (error.command === 'RCPT TO' || error.command === 'DATA');
  const message = secrets.reduce((text, secret) => text.replaceAll(secret, '***'), error.message);
  return Object.assign(new Error(message), { isPermanent: isRefusal });
}

function secretsOf(smtpUrl: string): string[] {
  const { username, password } = new URL(smtpUrl);
  const plain = decode(password);
  const forms = [password, plain, toBase64(plain), toBase64(`\0${decode(username)}\0${plain}`)];
  return password === '' ? [] : forms.toSorted((left, right) => right.length - left.length);
}

function toBase64(text: string): string {
  return Buffer.from(text).toString('base64');
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
