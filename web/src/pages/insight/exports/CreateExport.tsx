import { Group, NativeSelect, Radio, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { FormDialog } from '../../../ui/FormDialog.tsx';
import { faultOf, useChange } from '../../../ui/useChange.ts';
import { exportsKey, type DatasetName, type FormatName, type NewExport } from './queries.ts';
import { datasetWords, formatTitles } from './words.ts';

const dayOf = (instant: Date) => instant.toISOString().slice(0, 10);

/** The month so far, in UTC; on its first day, the month before. */
function firstWindow(): { from: string; to: string } {
  const now = new Date();
  const yesterday = new Date(now.getTime() - 86_400_000);
  const end = now.getUTCDate() === 1 ? yesterday : now;
  return { from: `${dayOf(end).slice(0, 8)}01`, to: dayOf(end) };
}

/** Asks for a file of rows in a window of days. */
export function CreateExport({ onClose }: { onClose: () => void }) {
  const [values, setValues] = useState<NewExport>({ dataset: 'jobs', format: 'csv', ...firstWindow() });
  const change = (changed: Partial<NewExport>) => setValues((before) => ({ ...before, ...changed }));
  const create = useChange({
    act: async () => (await api.POST('/api/v1/exports', { body: values })).data!.data,
    done: 'The file is being written.',
    refresh: [exportsKey],
    isFaultShown: true,
  });
  return (
    <FormDialog
      title="New export"
      deed="Create"
      isBusy={create.isPending}
      error={create.error}
      fields={['dataset', 'format', 'from', 'to']}
      onSubmit={() => create.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      <Radio.Group
        label="What is in it"
        value={values.dataset}
        onChange={(dataset) => change({ dataset: dataset as DatasetName })}
        error={faultOf(create.error, 'dataset')}
      >
        <Stack gap="xs" mt="xs">
          {Object.entries(datasetWords).map(([name, { title, about }]) => (
            <Radio key={name} value={name} label={title} description={about} />
          ))}
        </Stack>
      </Radio.Group>
      <NativeSelect
        label="Format"
        data={Object.entries(formatTitles).map(([value, label]) => ({ value, label }))}
        value={values.format}
        onChange={(event) => change({ format: event.currentTarget.value as FormatName })}
        error={faultOf(create.error, 'format')}
      />
      <Group grow align="flex-start">
        <TextInput
          type="date"
          label="From"
          description="UTC day"
          required
          max={dayOf(new Date())}
          value={values.from}
          onChange={(event) => change({ from: event.currentTarget.value })}
          error={faultOf(create.error, 'from')}
        />
        <TextInput
          type="date"
          label="To"
          description="UTC day, included"
          required
          min={values.from}
          value={values.to}
          onChange={(event) => change({ to: event.currentTarget.value })}
          error={faultOf(create.error, 'to')}
        />
      </Group>
    </FormDialog>
  );
}
