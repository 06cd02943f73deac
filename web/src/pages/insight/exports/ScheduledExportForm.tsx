import { Checkbox, Group, PasswordInput, SimpleGrid, TextInput } from '@mantine/core';
import { useState, type ChangeEvent } from 'react';
import { api } from '../../../api/client.ts';
import { Choice } from '../../../ui/Choice.tsx';
import { FormDialog } from '../../../ui/FormDialog.tsx';
import { errorOf, useChange } from '../../../ui/useChange.ts';
import type { DatasetName, FormatName } from './queries.ts';
import {
  scheduledKey,
  uploadsKey,
  type NewScheduledExport,
  type ScheduledExport,
} from './scheduledQueries.ts';
import { datasetWords, formatTitles, frequencyTitles } from './words.ts';

const first: NewScheduledExport = {
  dataset: 'focus',
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

const textFields = ['endpoint', 'region', 'bucket', 'prefix', 'access_key_id', 'secret_access_key'] as const;
type TextField = (typeof textFields)[number];

const optionsOf = <T extends string>(titles: Record<T, string>) =>
  Object.entries(titles).map(([value, label]) => ({ value: value as T, label: label as string }));
const datasetTitles = Object.fromEntries(
  Object.entries(datasetWords).map(([name, { title }]) => [name, title]),
) as Record<DatasetName, string>;

/** Creates a scheduled export, or edits `changed`. Without a new secret key, the stored one stays. */
export function ScheduledExportForm({
  changed,
  onClose,
}: {
  changed: ScheduledExport | null;
  onClose: () => void;
}) {
  const [values, setValues] = useState<NewScheduledExport>(
    changed ? { ...first, ...fieldsOf(changed) } : first,
  );
  const change = (fields: Partial<NewScheduledExport>) => setValues((before) => ({ ...before, ...fields }));
  const save = useChange({
    act: async () => {
      const { secret_access_key: secret, ...others } = values;
      if (!changed) return void (await api.POST('/api/v1/scheduled-exports', { body: values }));
      const body = secret === '' ? others : values;
      await api.PUT('/api/v1/scheduled-exports/{id}', { params: { path: { id: changed.id } }, body });
    },
    done: changed
      ? 'Scheduled export saved.'
      : 'Scheduled export created. The first upload starts within a minute.',
    refresh: [scheduledKey, uploadsKey],
    isErrorShown: true,
  });
  const text = (name: TextField) => ({
    value: values[name] ?? '',
    error: errorOf(save.error, name),
    onChange: (event: ChangeEvent<HTMLInputElement>) => change({ [name]: event.currentTarget.value }),
  });
  return (
    <FormDialog
      title={changed ? 'Edit scheduled export' : 'New scheduled export'}
      size="lg"
      label={changed ? 'Save' : 'Create scheduled export'}
      change={save}
      fields={[...textFields, 'path_style']}
      onClose={onClose}
    >
      <What values={values} change={change} />
      <TextInput
        label="Endpoint"
        description="Address of the storage, such as https://s3.eu-central-1.amazonaws.com."
        required
        {...text('endpoint')}
      />
      <Group grow align="flex-start">
        <TextInput label="Bucket" required {...text('bucket')} />
        <TextInput label="Region" required {...text('region')} />
      </Group>
      <TextInput
        label="Prefix"
        description="What the names of the files begin with, such as finops/ci."
        {...text('prefix')}
      />
      <TextInput label="Access key ID" required autoComplete="off" {...text('access_key_id')} />
      <PasswordInput
        label="Secret access key"
        description={
          changed ? 'Leave empty to keep the current one.' : 'Stored encrypted, and never shown again.'
        }
        required={!changed}
        autoComplete="off"
        {...text('secret_access_key')}
      />
      <Checkbox
        label="Path-style addresses"
        description="The bucket is in the path, as most storages other than Amazon S3 want it."
        checked={values.path_style ?? true}
        error={errorOf(save.error, 'path_style')}
        onChange={(event) => change({ path_style: event.currentTarget.checked })}
      />
    </FormDialog>
  );
}

type WhatProps = { values: NewScheduledExport; change: (fields: Partial<NewScheduledExport>) => void };

function What({ values, change }: WhatProps) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="md">
      <Choice
        label="Contents"
        options={optionsOf(datasetTitles)}
        value={values.dataset}
        onChange={(dataset) => change({ dataset })}
      />
      <Choice<FormatName>
        label="Format"
        options={optionsOf(formatTitles)}
        value={values.format}
        onChange={(format) => change({ format })}
      />
      <Choice
        label="How often"
        options={optionsOf(frequencyTitles)}
        value={values.frequency}
        onChange={(frequency) => change({ frequency })}
      />
    </SimpleGrid>
  );
}

function fieldsOf(shown: ScheduledExport) {
  const { dataset, format, frequency, endpoint, region, bucket, prefix } = shown;
  const { access_key_id, path_style } = shown;
  return { dataset, format, frequency, endpoint, region, bucket, prefix, access_key_id, path_style };
}
