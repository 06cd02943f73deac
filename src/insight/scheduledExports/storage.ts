import { createHash } from 'node:crypto';
import { AwsV4Signer } from 'aws4fetch';
import type { Program } from '../../context.ts';
import { escapeMarkup, oneLine } from '../../platform/lib/text.ts';

/** A bucket of a storage service with the API of Amazon S3. */
export type Destination = {
  /** The origin of a URL, such as `https://s3.eu-central-1.amazonaws.com`. */
  endpoint: string;
  region: string;
  bucket: string;
  /** Prepended to all names; may be empty. */
  prefix: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** Whether the bucket is part of the URL's path, not of its host. */
  pathStyle: boolean;
};

/** Valid values of a destination's fields, and how to describe them. */
export const destinationForms = {
  region: { pattern: /^[A-Za-z0-9-]{1,64}$/, text: 'letters, digits and hyphens' },
  bucket: {
    pattern: /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/,
    text: '3 to 63 small letters, digits, dots and hyphens',
  },
  prefix: { pattern: /^[A-Za-z0-9_.=/-]{0,500}$/, text: 'letters, digits and _ . = / -' },
  access_key_id: { pattern: /^[!-+.0-~-]{1,256}$/, text: 'visible ASCII characters except , and /' },
  secret_access_key: { pattern: /^[!-~]{1,256}$/, text: 'visible ASCII characters' },
};

/** `code` is the storage's error code, such as `NoSuchBucket`. Null means that it did not answer. */
export class StorageError extends Error {
  readonly code: string | null;
  readonly retryAfterMilliseconds: number;

  constructor(code: string | null, message: string, retryAfterMilliseconds = 0) {
    super(code === null ? message : `${code}: ${message}`);
    this.code = code;
    this.retryAfterMilliseconds = retryAfterMilliseconds;
  }
}

export type Storage = {
  /** Uploads a whole file in one request. */
  put: (key: string, bytes: Buffer, contentType: string) => Promise<void>;
  /** Starts a multipart upload and returns its id. */
  begin: (key: string, contentType: string) => Promise<string>;
  /** Returns the part's tag. Numbers start at 1. Repeating a number replaces the part. */
  putPart: (key: string, uploadId: string, number: number, bytes: Buffer) => Promise<string>;
  complete: (key: string, uploadId: string, tags: readonly string[]) => Promise<void>;
  abort: (key: string, uploadId: string) => Promise<void>;
};

type Asked = {
  method: 'PUT' | 'POST' | 'DELETE';
  key: string;
  query?: Record<string, string>;
  body?: Buffer;
  headers?: Record<string, string>;
};

/** Shorter than the lease of a task. */
const timeoutMilliseconds = 50_000;

export function openStorage(
  { egress, clock }: Pick<Program, 'egress' | 'clock'>,
  destination: Destination,
): Storage {
  const ask = async ({ method, key, query = {}, body = Buffer.alloc(0), headers = {} }: Asked) => {
    const { accessKeyId, secretAccessKey, region } = destination;
    const signer = new AwsV4Signer({
      accessKeyId,
      secretAccessKey,
      region,
      service: 's3',
      method,
      body: new Uint8Array(body),
      url: `${urlOf(destination, key)}?${queryOf(query)}`,
      datetime: clock
        .now()
        .toISOString()
        .replace(/[:-]|\.\d+/g, ''),
      headers: { ...headers, 'x-amz-content-sha256': createHash('sha256').update(body).digest('hex') },
    });
    const signed = await signer.sign();
    const outcome = await egress[method === 'PUT' ? 'put' : method === 'POST' ? 'post' : 'delete']({
      url: signed.url.href,
      headers: Object.fromEntries(signed.headers),
      body,
      timeoutMilliseconds,
    });
    const { host } = signed.url;
    if (outcome.kind === 'failure') throw new StorageError(null, `${host}: ${outcome.message}`);
    const text = outcome.body.toString('utf8');
    const { statusCode: status, retryAfter, locationHost } = outcome;
    // The response that completes an upload can be an error in spite of its status.
    if (status < 200 || status > 299 || /<Error[\s>]/.test(text)) {
      const away = locationHost === null ? '' : ` and redirects to ${locationHost}`;
      const message = elementOf(text, 'Message') ?? `${host} answered ${status}${away}`;
      const code = elementOf(text, 'Code') ?? `HTTP ${status}`;
      throw new StorageError(keptText(code), keptText(message), Number(retryAfter ?? 0) * 1_000 || 0);
    }
    if (outcome.note !== null) throw new StorageError(null, `${host}: ${outcome.note}`);
    return { text, host, etag: [outcome.headers['etag']].flat()[0] ?? '' };
  };
  /** A web server that does not implement S3 may answer 200 to anything. */
  const putBytes = async (asked: Omit<Asked, 'method'>): Promise<string> => {
    const { etag, host } = await ask({ ...asked, method: 'PUT' });
    if (etag === '') throw new StorageError(null, `${host}: no ETag in its answer`);
    return etag;
  };
  return {
    put: async (key, body, type) => {
      await putBytes({ key, body, headers: { 'content-type': type } });
    },
    begin: async (key, type) => {
      const asked = {
        method: 'POST',
        key,
        query: { uploads: '' },
        headers: { 'content-type': type },
      } as const;
      const { text, host } = await ask(asked);
      const uploadId = elementOf(text, 'UploadId');
      if (uploadId) return uploadId;
      throw new StorageError(null, `${host}: no UploadId in its answer`);
    },
    putPart: (key, uploadId, number, body) =>
      putBytes({ key, query: { partNumber: String(number), uploadId }, body }),
    complete: async (key, uploadId, tags) => {
      const parts = tags.map(
        (tag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${escapeMarkup(tag)}</ETag></Part>`,
      );
      const body = Buffer.from(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`);
      const headers = { 'content-type': 'application/xml' };
      const { text, host } = await ask({ method: 'POST', key, query: { uploadId }, body, headers });
      if (!/<CompleteMultipartUploadResult[\s>]/.test(text))
        throw new StorageError(null, `${host}: no CompleteMultipartUploadResult in its answer`);
    },
    abort: async (key, uploadId) => {
      await ask({ method: 'DELETE', key, query: { uploadId } });
    },
  };
}

/** Encodes each character as in the signature, because some storages sign the path as they receive it. */
function urlOf({ endpoint, bucket, pathStyle }: Destination, key: string): string {
  const url = new URL(endpoint);
  if (!pathStyle) url.host = `${bucket}.${url.host}`;
  return `${url.origin}/${pathStyle ? `${bucket}/` : ''}${key.split('/').map(encoded).join('/')}`;
}

function queryOf(query: Record<string, string>): string {
  return Object.entries(query)
    .map(([name, value]) => `${name}=${encoded(value)}`)
    .join('&');
}

function encoded(text: string): string {
  const hex = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(text).replace(/[!'()*]/g, hex);
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function elementOf(xml: string, name: string): string | null {
  const found = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1];
  return found?.replace(/&(\w+);/g, (whole, entity: string) => entities[entity] ?? whole) ?? null;
}

const maxText = 300;

/** The storage's message on one line, with a limited length. */
function keptText(text: string): string {
  const line = oneLine(text).trim();
  return line.length <= maxText ? line : `${line.slice(0, maxText)}…`;
}
