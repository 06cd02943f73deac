import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { test, type TestContext } from 'node:test';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { isPermanent } from './email.ts';
import { createMailer, type Mail } from './mailer.ts';

const from = 'Runcost <alerts@runcost.example>';
const mail: Mail = {
  to: 'ada@acme.example',
  subject: 'Budget exceeded: Münchner Büro',
  text: 'Spent $1,284.55 – the budget was $1,000.00\n',
  html: '<p>Spent <b>$1,284.55</b></p>',
  messageId: 'ntf_1',
};
/** Only the one that a test shortens can end before the others, however busy the machine is. */
const long = { connectMilliseconds: 60_000, socketMilliseconds: 60_000, totalMilliseconds: 60_000 };

test('delivers a message with its text, HTML and headers', async (t) => {
  const { url, received } = await startSink(t);
  const mailer = startMailer(t, url);

  await mailer.send(mail);

  const { envelope, email } = received[0]!;
  assert.deepEqual(envelope, { from: 'alerts@runcost.example', to: ['ada@acme.example'] });
  assert.deepEqual(email.from, { name: 'Runcost', address: 'alerts@runcost.example' });
  assert.deepEqual(email.to, [{ name: '', address: 'ada@acme.example' }]);
  assert.equal(email.subject, mail.subject);
  assert.equal(email.text?.trimEnd(), mail.text.trimEnd());
  assert.equal(email.html?.trim(), mail.html);
  assert.equal(email.messageId, '<ntf_1@runcost.example>');
  assert.equal(headerOf(email, 'auto-submitted'), 'auto-generated');
});

test('sends a message again with the same Message-ID, over one connection', async (t) => {
  const { url, received, connections } = await startSink(t);
  const mailer = startMailer(t, url);

  await mailer.send(mail);
  await mailer.send(mail);

  assert.equal(received[0]!.email.messageId, received[1]!.email.messageId);
  assert.equal(connections(), 1);
});

test('line breaks in a message start no header', async (t) => {
  const { url, received } = await startSink(t);
  const mailer = startMailer(t, url);

  await mailer.send({
    ...mail,
    subject: 'Spike\r\nBcc: eve@evil.example\r\n\r\nbody',
    messageId: 'a\r\nX-Evil: 1',
  });

  const { envelope, email } = received[0]!;
  assert.deepEqual(envelope.to, ['ada@acme.example']);
  assert.equal(headerOf(email, 'bcc'), undefined);
  assert.equal(headerOf(email, 'x-evil'), undefined);
  assert.equal(email.text?.trimEnd(), mail.text.trimEnd());
});

test('an address with a comma stays one', async (t) => {
  const { url, received } = await startSink(t);
  const mailer = startMailer(t, url);

  await mailer.send({ ...mail, to: 'ada@acme.example,eve@evil.example' }).catch(() => {});

  const recipients = received.flatMap(({ envelope }) => envelope.to);
  assert.ok(!recipients.includes('eve@evil.example'), recipients.join(' '));
});

test('a temporarily refused recipient can be retried', async (t) => {
  const { url } = await startSink(t, { onRcptTo: (_address, _session, done) => done(reply(451, 'Later')) });
  const error = await failureOf(startMailer(t, url).send(mail));
  assert.match(error.message, /Later/);
  assert.equal(isPermanent(error), false);
});

test('a permanently refused recipient is permanent, and the next message is sent', async (t) => {
  const { url, received } = await startSink(t, {
    onRcptTo: ({ address }, _session, done) =>
      done(address.startsWith('gone') ? reply(550, 'No such user') : null),
  });
  const mailer = startMailer(t, url);

  const error = await failureOf(mailer.send({ ...mail, to: 'gone@acme.example' }));
  await mailer.send(mail);

  assert.match(error.message, /No such user/);
  assert.equal(isPermanent(error), true);
  assert.equal(received.length, 1);
});

for (const [code, isForGood] of [
  [554, true],
  [452, false],
] as const) {
  test(`a message refused with ${code} is ${isForGood ? '' : 'not '}permanent`, async (t) => {
    const { url } = await startSink(t, {
      onData: (stream, _session, done) => {
        stream.resume();
        stream.on('end', () => done(reply(code, 'Not this one')));
      },
    });
    assert.equal(isPermanent(await failureOf(startMailer(t, url).send(mail))), isForGood);
  });
}

test('a permanently refused sender is not permanent, because the settings can be fixed', async (t) => {
  const { url } = await startSink(t, {
    onMailFrom: (_address, _session, done) => done(reply(550, 'Not you')),
  });
  const error = await failureOf(startMailer(t, url).send(mail));
  assert.match(error.message, /Not you/);
  assert.equal(isPermanent(error), false);
});

const password = 'p@ss/w%rd';
const withLogin = (url: string) => url.replace('//', `//runcost:${encodeURIComponent(password)}@`);

test('uses the user and password of the address', async (t) => {
  const logins: unknown[] = [];
  const { url, received } = await startSink(t, {
    authOptional: false,
    allowInsecureAuth: true,
    onAuth: ({ username, password: given }, _session, done) => {
      logins.push([username, given]);
      done(null, { user: username });
    },
  });

  await startMailer(t, withLogin(url)).send(mail);

  assert.deepEqual(logins, [['runcost', password]]);
  assert.equal(received.length, 1);
});

test('a refused login is not permanent and hides the password, even if the server shows it', async (t) => {
  const base64 = Buffer.from(password).toString('base64');
  const { url } = await startSink(t, {
    authOptional: false,
    allowInsecureAuth: true,
    onAuth: (_auth, _session, done) =>
      done(reply(535, `Wrong: ${password} ${encodeURIComponent(password)} ${base64}`)),
  });

  const error = await failureOf(startMailer(t, withLogin(url)).send(mail));

  assert.match(error.message, /Wrong: \*\*\* \*\*\* \*\*\*/);
  const everything = JSON.stringify(error, Object.getOwnPropertyNames(error));
  for (const secret of [password, encodeURIComponent(password), base64]) {
    assert.ok(!everything.includes(secret), everything);
  }
  assert.equal(error.cause, undefined);
  assert.equal(isPermanent(error), false);
});

/** A server without TLS that asks for a login and counts logins. */
async function startLoginSink(t: TestContext) {
  let logins = 0;
  const { url } = await startSink(t, {
    authOptional: false,
    allowInsecureAuth: true,
    onAuth: (_auth, _session, done) => {
      logins += 1;
      done(null, { user: 'runcost' });
    },
  });
  // 0.0.0.0 is this machine under another name.
  return { url: url.replace('127.0.0.1', '0.0.0.0'), logins: () => logins };
}

test('sends no password in clear text to another machine, with or without a user', async (t) => {
  const { url, logins } = await startLoginSink(t);
  for (const address of [withLogin(url), url.replace('//', '//:secret@')]) {
    const error = await failureOf(startMailer(t, address).send(mail));
    assert.match(error.message, /STARTTLS/);
    assert.equal(isPermanent(error), false);
  }
  assert.equal(logins(), 0);
});

for (const query of [
  'requireTLS=false',
  'requireTLS=0',
  'requireTLS=',
  'ignoreTLS=true',
  'opportunisticTLS=true',
  'secure=true&secured=true',
  'requireTLS=false&ignoreTLS=true',
  'requireTLS=true&requireTLS=false',
  'pool=false',
  'pool=false&requireTLS=false',
  'auth=none',
  'requireTLS=false&tls.rejectUnauthorized=false',
]) {
  test(`no option in the address sends a password in clear text: ${query}`, async (t) => {
    const { url, logins } = await startLoginSink(t);
    const error = await failureOf(startMailer(t, `${withLogin(url)}?${query}`).send(mail));
    assert.match(error.message, /STARTTLS/);
    assert.equal(logins(), 0);
  });
}

test('no option in the address changes the server', async (t) => {
  const [there, elsewhere] = [await startSink(t), await startSink(t)];
  const { port } = new URL(elsewhere.url);
  await startMailer(t, `${there.url}?host=127.0.0.1&port=${port}&service=Maildev&streamTransport=1`).send(
    mail,
  );
  assert.deepEqual([there.received.length, elsewhere.received.length], [1, 0]);
});

test('TLS can be required without a password', async (t) => {
  const { url } = await startSink(t);
  assert.match((await failureOf(startMailer(t, `${url}?requireTLS=true`).send(mail))).message, /STARTTLS/);
});

test('accepts harmless options in the address', async (t) => {
  const names: string[] = [];
  const { url } = await startSink(t, {
    onMailFrom: (_address, session, done) => {
      names.push(session.hostNameAppearsAs);
      done();
    },
  });
  await startMailer(t, `${url}?name=ci.acme.example&maxConnections=1`).send(mail);
  assert.deepEqual(names, ['ci.acme.example']);
});

test('an unreachable server is not permanent', async (t) => {
  const server = createServer();
  const port = await listen(server);
  server.close();
  await once(server, 'close');
  const error = await failureOf(startMailer(t, withLogin(`smtp://127.0.0.1:${port}`)).send(mail));
  assert.match(error.message, /ECONNREFUSED/);
  assert.equal(isPermanent(error), false);
});

test('a server that does not greet times out', async (t) => {
  const url = await startBareServer(t, () => {});
  const error = await failureOf(startMailer(t, url, { ...long, connectMilliseconds: 1_000 }).send(mail));
  assert.match(error.message, /Greeting never received/);
  assert.equal(isPermanent(error), false);
});

test('a server that goes silent times out', async (t) => {
  const url = await startBareServer(t, (socket) => socket.write('220 hello\r\n'));
  const error = await failureOf(startMailer(t, url, { ...long, socketMilliseconds: 100 }).send(mail));
  assert.match(error.message, /Timeout/);
  assert.equal(isPermanent(error), false);
});

test('a server that keeps talking without progress times out', async (t) => {
  const url = await startBareServer(t, (socket) => {
    socket.write('220 hello\r\n');
    const timer = setInterval(() => socket.write('250-and so on\r\n'), 20);
    socket.on('close', () => clearInterval(timer));
  });
  for (const failing of [
    startMailer(t, url, { ...long, totalMilliseconds: 300 }).send(mail),
    startMailer(t, url, long).send(mail, 300),
  ]) {
    const error = await failureOf(failing);
    assert.match(error.message, /abort|timeout/i);
    assert.equal(isPermanent(error), false);
  }
});

test('closing fails messages being sent', async (t) => {
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
  const url = await startBareServer(t, (socket) => {
    socket.write('220 hello\r\n');
    socket.on('data', () => arrive());
  });
  const mailer = startMailer(t, url);
  const failure = failureOf(mailer.send(mail));
  await arrived;
  mailer.close();
  assert.equal(isPermanent(await failure), false);
});

test('other errors are not permanent', () => {
  for (const error of [null, undefined, 'text', new Error('text')]) assert.equal(isPermanent(error), false);
});

type Received = { envelope: { from: string; to: string[] }; email: Email };

/** An SMTP server without TLS that accepts every message, except what the options refuse. */
async function startSink(t: TestContext, options: SMTPServerOptions = {}) {
  const received: Received[] = [];
  let connections = 0;
  const sink = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    closeTimeout: 1, // millisecond: it closes before the mailer does
    onConnect: (_session, done) => {
      connections += 1;
      done();
    },
    onData: (stream, { envelope: { mailFrom, rcptTo } }, done) => {
      const envelope = {
        from: mailFrom ? mailFrom.address : '',
        to: rcptTo.map(({ address }) => address),
      };
      const take = async () => {
        received.push({ envelope, email: await PostalMime.parse(await buffer(stream)) });
        done();
      };
      void take();
    },
    ...options,
  });
  const server = sink.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => new Promise<void>((resolve) => sink.close(resolve)));
  const { port } = server.address() as AddressInfo;
  return { url: `smtp://127.0.0.1:${port}`, received, connections: () => connections };
}

async function startBareServer(t: TestContext, greet: (socket: Socket) => void): Promise<string> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    greet(socket);
  });
  const port = await listen(server);
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `smtp://127.0.0.1:${port}`;
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

function startMailer(t: TestContext, smtpUrl: string, timeouts?: Parameters<typeof createMailer>[1]) {
  const mailer = createMailer({ smtpUrl, from }, timeouts);
  t.after(mailer.close);
  return mailer;
}

async function failureOf(sending: Promise<void>): Promise<Error> {
  const error = await sending.then(
    () => null,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof Error, 'it was sent');
  return error;
}

function reply(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}

function headerOf({ headers }: Email, key: string): string | undefined {
  return headers.find((header) => header.key === key)?.value;
}
