import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { after } from 'node:test';

export type Received = { headers: IncomingHttpHeaders; body: Buffer };

/** An HTTP server that stores its requests and responds with 204 by default. */
export type WebhookReceiver = {
  url: string;
  received: Received[];
  /** The response to later requests: a status, or a function. */
  answer: number | ((response: ServerResponse, received: Received) => void);
  /** Resolves after this number of requests. */
  taken: (count: number) => Promise<void>;
};

export async function openWebhookReceiver(): Promise<WebhookReceiver> {
  const receiver: WebhookReceiver = { url: '', received: [], answer: 204, taken: async () => {} };
  const server = createServer((request, response) => {
    const take = async () => {
      const received = { headers: request.headers, body: await buffer(request) };
      receiver.received.push(received);
      if (typeof receiver.answer === 'number') response.writeHead(receiver.answer).end();
      else receiver.answer(response, received);
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
  receiver.taken = async (count) => {
    while (receiver.received.length < count) await once(server, 'taken');
  };
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  return receiver;
}

/** Holds all responses from now on. The returned function releases the oldest one. */
export function holdAnswers(receiver: WebhookReceiver, status: number): () => void {
  const waiting: ServerResponse[] = [];
  receiver.answer = (response) => void waiting.push(response);
  return () => void waiting.shift()!.writeHead(status).end();
}

/** An answer for `answer` that never responds. */
export function never(): void {}
