import { type TSchema, Type } from 'typebox';
import {
  nullableText,
  NullableTimestamp,
  pageOf,
  Problem,
  responses,
  taskFields,
  Timestamp,
  words,
} from '../../platform/http/schemas.ts';
import { datasetNames, focusVersions, formatNames } from './datasets.ts';
import { formats } from './formats.ts';

const datasetWords = words(datasetNames, {
  description:
    '`jobs`: every job that counts, with its run; `runs`; `daily`: workflows by day; `focus`: ' +
    'Cost and Usage of FOCUS, one row per job; `focus_invoice_detail`, `focus_billing_period`: of FOCUS 1.4, ' +
    'from the bill reports of whole months',
});

const versionWords = words(focusVersions, {
  description: 'of FOCUS: `1.3` for `focus` if left out. Other datasets have no version',
});

const formatWords = words(formatNames);

export const NewExportBody = Type.Object(
  {
    dataset: datasetWords,
    version: Type.Optional(versionWords),
    format: formatWords,
    from: Type.String({
      maxLength: 40,
      description: "a UTC day or an ISO 8601 date-time; cut to the plan's history",
    }),
    to: Type.String({
      maxLength: 40,
      description: 'a UTC day (included) or an ISO 8601 date-time (not included)',
    }),
  },
  {
    additionalProperties: false,
    examples: [{ dataset: 'jobs', format: 'csv', from: '2026-03-01', to: '2026-03-17' }],
  },
);

export const ExportSchema = Type.Object({
  id: Type.String({ description: 'exp_…', examples: ['exp_8b5d1f7e3a9c0462d7f1'] }),
  dataset: datasetWords,
  version: nullableText('1.3', 'of FOCUS; null for other datasets'),
  format: formatWords,
  from: Timestamp,
  to: Type.Unsafe<Date>({ ...Timestamp, description: 'not included' }),
  rows: Type.Integer({ description: 'written so far' }),
  bytes: Type.Integer({ description: 'written so far' }),
  sha256: nullableText(
    '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    'of the whole file, once it is complete',
  ),
  file_name: Type.String({ examples: ['runcost-jobs-2026-03-01-to-2026-03-17.csv'] }),
  download_url: nullableText(
    'https://runcost.acme.example/api/v1/exports/exp_8b2f6d0a4c7e9153b8f2/download',
    'while the file can be downloaded; needs a token',
  ),
  expires_at: NullableTimestamp,
  ...taskFields,
});

export const ExportsSchema = pageOf(ExportSchema);

const problem = (description: string) => ({
  description,
  content: { 'application/problem+json': { schema: Problem } },
});

function file(description: string): TSchema {
  const types = formatNames.map((name) => formats[name].contentType.split(';')[0]!);
  const schema = { type: 'string', format: 'binary' };
  return {
    description,
    content: Object.fromEntries(types.map((type) => [type, { schema }])),
  } as TSchema;
}

export const downloadResponses = {
  ...responses(200, file('The file; `ETag` and `Repr-Digest` are its SHA-256'), [404, 409]),
  206: file('The part of the file that `Range` asks for'),
  304: { description: 'The file matches `If-None-Match`', type: 'null' },
  416: problem('`Range` starts after the end of the file'),
};
