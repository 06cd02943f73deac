import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { after } from 'node:test';
import { AwsV4Signer } from 'aws4fetch';

type Failure = { status: number; code: string; message: string };

/** A stand-in. test/objectStorage.system.test.ts uses a real storage, Swift. */
export type ObjectStorage = {
  endpoint: string;
  /** Keyed by `bucket/key`. */
  files: Map<string, Buffer>;
  /** The requests, such as `PUT costs/a.csv partNumber`. */
  asked: string[];
  /** Answers the next requests; null lets the storage answer. */
  failing: (request: string) => Failure | null | Promise<Failure | null>;
  /** Credentials that must sign requests; null accepts any signature. */
  secret: string | null;
};

/** The host in the signature must be the requested one. */
async function signatureFault({ secret }: ObjectStorage, request: IncomingMessage): Promise<Failure | null> {
  if (secret === null) return null;
  const { method, url, headers } = request;
  const { authorization = '', host, 'x-amz-date': datetime, 'x-amz-content-sha256': hash } = headers;
  const [, accessKeyId, region] = /Credential=([^/]+)\/\d+\/([^/]+)\/s3\//.exec(authorization) ?? [];
  const signed = await new AwsV4Signer({
    method: method!,
    url: `http://${host}${url}`,
    datetime: String(datetime),
    service: 's3',
    accessKeyId: accessKeyId!,
    secretAccessKey: secret,
    region: region!,
    headers: { 'x-amz-content-sha256': String(hash) },
  }).sign();
  if (signed.headers.get('authorization') === authorization) return null;
  return { status: 403, code: 'SignatureDoesNotMatch', message: 'Another signature.' };
}

/** Contains the parts of AWS' answers that matter to clients. */
export async function openObjectStorage(): Promise<ObjectStorage> {
  const storage: ObjectStorage = {
    endpoint: '',
    files: new Map(),
    asked: [],
    failing: () => null,
    secret: null,
  };
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
        (await storage.failing(asked)) ??
        (await signatureFault(storage, request)) ??
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
        const tags = [...String(body).matchAll(/<ETag>&quot;(\d+)&quot;</g)].map(([, tag]) => Number(tag));
        storage.files.set(path, Buffer.concat(tags.map((tag) => parts.get(tag)!)));
        uploads.delete(uploadId);
        return response.end('<CompleteMultipartUploadResult></CompleteMultipartUploadResult>');
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
