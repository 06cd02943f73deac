import { api } from '../../../api/client.ts';
import { optionsOf } from '../../../ui/Choice.tsx';
import { Form, type Item } from '../../../ui/Form.tsx';
import type { DatasetName } from './queries.ts';
import { scheduledKey, uploadsKey, type NewScheduledExport, type ScheduledExport } from './queries.ts';
import { datasetWords, formatTitles, frequencyTitles, versionField, withVersion } from './words.ts';

const first: NewScheduledExport = {
  dataset: 'focus',
  version: '1.3',
  format: 'parquet',
  frequency: 'daily',
  endpoint: '',
  region: 'us-east-1',
  bucket: '',
  prefix: '',
  access_key_id: '',
  secret_access_key: '',
  path_style: true,
};

const datasetTitles = Object.fromEntries(
  Object.entries(datasetWords).map(([name, { title }]) => [name, title]),
) as Record<DatasetName, string>;

const contents: Item<typeof first> = [
  { name: 'dataset', kind: 'choice', label: 'Contents', options: optionsOf(datasetTitles) },
  { name: 'format', kind: 'choice', label: 'Format', options: optionsOf(formatTitles) },
  { name: 'frequency', kind: 'choice', label: 'How often', options: optionsOf(frequencyTitles) },
];

const place: Item<typeof first>[] = [
  {
    name: 'endpoint',
    label: 'Endpoint',
    description: 'Address of the storage, such as https://s3.eu-central-1.amazonaws.com.',
    required: true,
  },
  [
    { name: 'bucket', label: 'Bucket', required: true },
    { name: 'region', label: 'Region', required: true },
  ],
  {
    name: 'prefix',
    label: 'Prefix',
    description: 'What the names of the files begin with, such as finops/ci.',
  },
  { name: 'access_key_id', label: 'Access key ID', required: true, autoComplete: 'off' },
];

const pathStyle: Item<typeof first> = {
  name: 'path_style',
  kind: 'check',
  label: 'Path-style addresses',
  description: 'The bucket is in the path, as most storages other than Amazon S3 want it.',
};

type Props = { changed: ScheduledExport | null; onClose: () => void };

/** Creates a scheduled export, or edits `changed`. Without a new secret key, the stored one stays. */
export function ScheduledExportForm({ changed, onClose }: Props) {
  return (
    <Form
      title={changed ? 'Edit scheduled export' : 'New scheduled export'}
      label={changed ? 'Save' : 'Create scheduled export'}
      initial={changed ? { ...first, ...fieldsOf(changed) } : first}
      fields={({ values }) => [
        contents,
        values.dataset === 'focus' && versionField,
        ...place,
        {
          name: 'secret_access_key',
          kind: 'secret',
          label: 'Secret access key',
          description: changed
            ? 'Leave empty to keep the current one.'
            : 'Stored encrypted, and never shown again.',
          required: !changed,
        },
        pathStyle,
      ]}
      act={async (values) => {
        const sent = withVersion(values);
        const { secret_access_key: secret, ...others } = sent;
        if (!changed) return void (await api.POST('/api/v1/scheduled-exports', { body: sent }));
        const body = secret === '' ? others : sent;
        await api.PUT('/api/v1/scheduled-exports/{id}', { params: { path: { id: changed.id } }, body });
      }}
      done={
        changed
          ? 'Scheduled export saved.'
          : 'Scheduled export created. The first upload starts within a minute.'
      }
      refresh={[scheduledKey, uploadsKey]}
      onClose={onClose}
    />
  );
}

function fieldsOf(shown: ScheduledExport) {
  const { dataset, format, frequency, endpoint, region, bucket, prefix } = shown;
  const { access_key_id, path_style } = shown;
  return {
    dataset,
    version: shown.version === '1.4' ? '1.4' : first.version,
    format,
    frequency,
    endpoint,
    region,
    bucket,
    prefix,
    access_key_id,
    path_style,
  };
}
