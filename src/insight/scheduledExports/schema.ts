import { Type, type Static } from 'typebox';
import {
  defaulted,
  nullableObject,
  nullableText,
  NullableTimestamp,
  nullableTimestampOf,
  pageOf,
  readOnlyFields,
  sampleText,
  Span,
  taskFields,
  Timestamp,
  words,
} from '../../platform/http/schemas.ts';
import { patternInWords } from '../../platform/http/validate.ts';
import { datasetNames, focusVersions, formatNames } from '../exports/datasets.ts';
import { frequencies } from './periods.ts';
import { destinationForms } from './storage.ts';

const inWords = ({ pattern, text }: { pattern: RegExp; text: string }) => patternInWords(pattern, text);

const dataset = words(datasetNames, { description: 'what the rows are; see `POST /api/v1/exports`' });
const version = words(focusVersions, { description: 'of FOCUS; `1.3` for `focus` if left out' });
const shownVersion = nullableText('1.3', 'of FOCUS; null for other datasets');
const format = words(formatNames);
const frequency = words(frequencies, {
  description:
    'each UTC day, each week from the first weekday of the organization, or each month; uploaded two hours after its end',
});
const endpoint = Type.String({
  minLength: 1,
  maxLength: 2048,
  description: 'https address of the storage, without a path',
  examples: ['https://s3.eu-central-1.amazonaws.com'],
});
const region = Type.String({
  pattern: inWords(destinationForms.region),
  description: '`us-east-1` if left out; many storages ignore it',
  examples: ['eu-central-1'],
});
const bucket = Type.String({
  pattern: inWords(destinationForms.bucket),
  description: destinationForms.bucket.text,
  examples: ['acme-costs'],
});
const prefix = Type.String({
  pattern: inWords(destinationForms.prefix),
  description: `what all names begin with: ${destinationForms.prefix.text}`,
  examples: ['finops/ci'],
});
const accessKeyId = Type.String({
  pattern: inWords(destinationForms.access_key_id),
  description: destinationForms.access_key_id.text,
  examples: ['AKIAIOSFODNN7EXAMPLE'],
});
const secretAccessKey = Type.String({
  pattern: inWords(destinationForms.secret_access_key),
  description: 'stored encrypted, and never returned',
  examples: ['wJalrXUtnFEMI-K7MDENG-bPxRfiCYEXAMPLEKEY'],
});
const pathStyle = Type.Boolean({
  description: 'whether the bucket is named in the path (`host/bucket`) or in the host (`bucket.host`)',
});
const enabled = Type.Boolean({ description: 'whether ended periods are uploaded' });

export const ScheduledExportSchema = Type.Object({
  id: sampleText('sxp_5c1f0a9e7b3d4826f1a0'),
  dataset,
  version: shownVersion,
  format,
  frequency,
  endpoint,
  region,
  bucket,
  prefix,
  access_key_id: accessKeyId,
  path_style: pathStyle,
  enabled,
  next_period: nullableObject(Span, 'what is uploaded next; null while it is off'),
  next_at: NullableTimestamp,
  created_at: Timestamp,
  updated_at: Timestamp,
});

const ignored = readOnlyFields('id', 'next_period', 'next_at', 'created_at', 'updated_at');

export const NewScheduledExportBody = Type.Object(
  {
    dataset,
    version: Type.Optional(version),
    format,
    frequency,
    endpoint,
    bucket,
    access_key_id: accessKeyId,
    secret_access_key: secretAccessKey,
    region: defaulted(region, 'us-east-1'),
    prefix: defaulted(prefix, ''),
    path_style: defaulted(pathStyle, true),
    enabled: defaulted(enabled, true),
    ...ignored,
  },
  {
    additionalProperties: false,
    examples: [
      {
        dataset: 'focus',
        format: 'parquet',
        frequency: 'monthly',
        endpoint: 'https://s3.eu-central-1.amazonaws.com',
        region: 'eu-central-1',
        bucket: 'acme-costs',
        prefix: 'finops/ci',
        access_key_id: 'AKIAIOSFODNN7EXAMPLE',
        secret_access_key: 'wJalrXUtnFEMI-K7MDENG-bPxRfiCYEXAMPLEKEY',
      },
    ],
  },
);

export const ScheduledExportChangesBody = Type.Object(
  {
    dataset: Type.Optional(dataset),
    version: Type.Optional(version),
    format: Type.Optional(format),
    frequency: Type.Optional(frequency),
    endpoint: Type.Optional(endpoint),
    region: Type.Optional(region),
    bucket: Type.Optional(bucket),
    prefix: Type.Optional(prefix),
    access_key_id: Type.Optional(accessKeyId),
    secret_access_key: Type.Optional(secretAccessKey),
    path_style: Type.Optional(pathStyle),
    enabled: Type.Optional(enabled),
    ...ignored,
  },
  { additionalProperties: false, examples: [{ bucket: 'acme-costs', enabled: true }] },
);

export type ScheduledExportChanges = Omit<Static<typeof ScheduledExportChangesBody>, keyof typeof ignored>;
type Destination = 'endpoint' | 'bucket' | 'access_key_id' | 'secret_access_key';
export type ScheduledExportInput = ScheduledExportChanges &
  Required<Pick<ScheduledExportChanges, 'dataset' | 'format' | 'frequency' | Destination>>;

export const TestedSchema = Type.Object({
  location: sampleText(
    'acme-costs/finops/ci/runcost-test.txt',
    'bucket and key of the file that was written',
  ),
  written: Type.Boolean(),
  error: nullableText('NoSuchBucket: The specified bucket does not exist.', "with the storage's own code"),
});

export const UploadSchema = Type.Object({
  id: sampleText('upl_8b5d1f7e3a9c0462d7f1'),
  scheduled_export_id: sampleText('sxp_5c1f0a9e7b3d4826f1a0'),
  dataset,
  version: shownVersion,
  format,
  period: Span,
  file_name: sampleText('runcost-focus-2026-02-01-to-2026-02-28.parquet'),
  location: nullableText(
    'acme-costs/finops/ci/runcost-focus-2026-02-01-to-2026-02-28.parquet',
    'bucket and key; null before the first try',
  ),
  rows: Type.Integer({ description: 'written so far' }),
  bytes: Type.Integer({ description: 'written so far' }),
  failures: Type.Integer({ description: 'failed tries' }),
  next_attempt_at: nullableTimestampOf(
    'when a failed upload is tried again; null if it does not wait for that',
  ),
  ...taskFields,
  error: nullableText(
    'AccessDenied: Access Denied.',
    "why the latest try failed, with the storage's own code",
  ),
});

export const UploadsSchema = pageOf(UploadSchema);
