import { createTransport, type NodemailerError } from 'nodemailer';

export type Mail = {
  /** One recipient. */
  to: string;
  subject: string;
  text: string;
  html: string;
  /** What stands before the `@` of its Message-ID. */
  messageId: string;
  /** Where a POST stops such messages to the recipient. */
  unsubscribeUrl?: string;
};

export type Mailer = {
  /**
   * Ends when the server has taken the message, or in failure after so many milliseconds, a minute by default. Throws a
   * `MailFailure`.
   */
  send: (mail: Mail, maxMilliseconds?: number) => Promise<void>;
  /** Ends the connections, and fails what is being sent. */
  close: () => void;
};

/** Why a mail was not taken, without secrets. */
export type MailFailure = Error & { isPermanent: boolean };

type Timeouts = { connectMilliseconds: number; socketMilliseconds: number; totalMilliseconds: number };

/** The total is for a server that keeps talking and gets nowhere, which the other two do not notice. */
const usualTimeouts: Timeouts = {
  connectMilliseconds: 10_000,
  socketMilliseconds: 30_000,
  totalMilliseconds: 60_000,
};

/** Sends mail by SMTP over a few connections that it keeps for the next messages. */
export function createMailer(
  { smtpUrl, from }: { smtpUrl: string; from: string },
  timeouts: Timeouts = usualTimeouts,
): Mailer {
  const transport = createTransport({
    url: withKeptOptions(smtpUrl), // its options would win over those that follow
    pool: true,
    connectionTimeout: timeouts.connectMilliseconds, // finding, reaching and being greeted by the server
    socketTimeout: timeouts.socketMilliseconds,
    requireTLS: needsTls(smtpUrl), // wins over ignoreTLS and opportunisticTLS
    maxRequeues: 1, // for a connection that the server has dropped meanwhile; further attempts are the outbox's
  });
  const domain = /@([^@\s>]+)>?\s*$/.exec(from)?.[1] ?? 'localhost';
  const secrets = secretsOf(smtpUrl);
  return {
    send: async (
      { to, subject, text, html, messageId, unsubscribeUrl },
      maxMilliseconds = timeouts.totalMilliseconds,
    ) => {
      try {
        await transport.sendMail({
          from,
          to: { name: '', address: to }, // as an address, so that no comma in it makes more of them
          subject,
          text,
          html,
          messageId: `<${messageId}@${domain}>`,
          headers: {
            'Auto-Submitted': 'auto-generated', // RFC 3834: no answers from absent people
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

/** The button of mail programs; one click without a page needs https (RFC 8058, section 3.1). */
function unsubscribeHeaders(url: string): Record<string, string> {
  const oneClick = { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };
  return { 'List-Unsubscribe': `<${url}>`, ...(url.startsWith('https:') && oneClick) };
}

/**
 * What a query in the address may set. Not where the mail goes, nor whether a password is encrypted: nodemailer reads
 * all its options there, `requireTLS`, `service` and `proxy` among them.
 */
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

/** A password leaves this machine encrypted or not at all: without this a server, or who poses as one, could do without. */
function needsTls(smtpUrl: string): boolean {
  const { username, password, hostname, searchParams } = new URL(smtpUrl);
  const hasLogin = username !== '' || password !== '';
  const isHere = /^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname);
  return (hasLogin && !isHere) || searchParams.get('requireTLS') === 'true';
}

/**
 * A new error, for nodemailer's own carries what the server said, in several places. A login or a sender that is refused
 * is not permanent: that is a fault of the settings, and messages go out once they are right.
 */
function failureOf(error: NodemailerError, secrets: readonly string[]): MailFailure {
  const isRefusal = error.permanent === true && (error.command === 'RCPT TO' || error.command === 'DATA');
  const message = secrets.reduce((text, secret) => text.replaceAll(secret, '***'), error.message);
  return Object.assign(new Error(message), { isPermanent: isRefusal });
}

/** The password as it stands in the address, as it is, and as it goes over the wire. */
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
