import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { after } from 'node:test';

type Failure = { status: number; code: string; message: string };

/** A bucket that looks at no signature: Swift in test/objectStorage.server.test.ts does. */
export type ObjectStorage = {
  endpoint: string;
  /** By `bucket/key`. */
  files: Map<string, Buffer>;
  /** What was asked, such as `PUT costs/a.csv partNumber`. */
  asked: string[];
  /** What answers the next requests; null: the storage does. */
  failing: (request: string) => Failure | null;
};

/** Knows the parts of AWS' answers that matter to clients. */
export async function openObjectStorage(): Promise<ObjectStorage> {
  const storage: ObjectStorage = { endpoint: '', files: new Map(), asked: [], failing: () => null };
  const uploads = new Map<string, Map<number, Buffer>>();
  const server = createServer((request, response) => {
    const take = async () => {
      const body = await buffer(request);
      const url = new URL(request.url!, 'http://storage');
      const query = url.searchParams;
      const path = decodeURIComponent(url.pathname).slice(1);
      const asked = [request.method, path, ...query.keys()].join(' ');
      storage.asked.push(asked);
      const uploadId = query.get('uploadId') ?? '';
      const failure =
        storage.failing(asked) ??
        (uploadId && !uploads.has(uploadId)
          ? { status: 404, code: 'NoSuchUpload', message: 'No such upload.' }
          : null);
      if (failure) {
        const { status, code, message } = failure;
        return response
          .writeHead(status)
          .end(`<Error><Code>${code}</Code><Message>${message}</Message></Error>`);
      }
      if (query.has('uploads')) {
        const id = `upload-${uploads.size + 1}`;
        uploads.set(id, new Map());
        return response.end(
          `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
        );
      }
      const parts = uploads.get(uploadId);
      if (!parts) storage.files.set(path, body);
      else if (request.method === 'PUT') parts.set(Number(query.get('partNumber')), body);
      else if (request.method === 'DELETE') uploads.delete(uploadId);
      else {
        const tags = [...String(body).matchAll(/<ETag>"(\d+)"/g)].map(([, tag]) => Number(tag));
        storage.files.set(path, Buffer.concat(tags.map((tag) => parts.get(tag)!)));
        uploads.delete(uploadId);
      }
      return response.setHeader('etag', `"${query.get('partNumber') ?? 'whole'}"`).end();
    };
    void take();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  storage.endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return storage;
}
