import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer, json } from 'node:stream/consumers';
import { after } from 'node:test';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';

/** A mail server that stores its emails, and rejects recipients at `refused.test`. */
export type Mailbox = { url: string; mails: { to: string; email: Email }[] };

export async function openMailbox(): Promise<Mailbox> {
  const mails: Mailbox['mails'] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo: ({ address }, _session, done) => {
      if (!address.endsWith('@refused.test')) return done();
      done(Object.assign(new Error('no such mailbox'), { responseCode: 550 }));
    },
    onData: (stream, session, done) => {
      const take = async () => {
        const email = await PostalMime.parse(await buffer(stream));
        mails.push({ to: session.envelope.rcptTo[0]!.address, email });
        done();
      };
      void take();
    },
  });
  server.on('error', () => {}); // Ignore clients that disconnect.
  const listening = server.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  after(() => server.close(() => {}));
  const { port } = listening.address() as AddressInfo;
  return { url: `smtp://127.0.0.1:${port}`, mails };
}

/** An HTTP server that stores the JSON it receives and responds with `status`. */
export type Chat = {
  url: string;
  bodies: unknown[];
  status: number | 'never';
  /** Resolves after this number of requests. */
  taken: (count: number) => Promise<void>;
  hangUp: () => void;
};

export async function openChat(): Promise<Chat> {
  const chat: Chat = { url: '', bodies: [], status: 200, taken: async () => {}, hangUp: () => {} };
  const server = createServer((request, response) => {
    const take = async () => {
      chat.bodies.push(await json(request));
      if (chat.status !== 'never') response.writeHead(chat.status).end();
      server.emit('taken');
    };
    void take();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  chat.taken = async (count) => {
    while (chat.bodies.length < count) await once(server, 'taken');
  };
  chat.hangUp = () => server.closeAllConnections();
  chat.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  return chat;
}
