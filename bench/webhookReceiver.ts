/**
 * A webhook receiver. `/hook` responds 204 and records when each event arrived; `/never` never responds. `/receipts`
 * lists the receipts since the last request. Prints its address.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

let receipts: [id: string, at: number][] = [];

const server = createServer((request, response) => {
  if (request.url === '/receipts') {
    response.end(JSON.stringify(receipts));
    receipts = [];
    return;
  }
  request.resume();
  if (request.url === '/never') return;
  request.on('end', () => {
    receipts.push([String(request.headers['webhook-id']), performance.timeOrigin + performance.now()]);
    response.writeHead(204).end();
  });
});
server.listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
