import { Group, NativeSelect, Radio, Stack } from '@mantine/core';
import { useState } from 'react';
import { DayField } from '../../../analysis/DayField.tsx';
import { api } from '../../../api/client.ts';
import { FormDialog } from '../../../ui/FormDialog.tsx';
import { RemovedRuns } from '../../../ui/RemovedRuns.tsx';
import { errorOf, useChange } from '../../../ui/useChange.ts';
import { exportsKey, type DatasetName, type FormatName, type NewExport } from './queries.ts';
import { datasetWords, formatTitles } from './words.ts';

const dayOf = (instant: Date) => instant.toISOString().slice(0, 10);

/** The month to date in UTC; on its first day, the previous month. */
function firstWindow(): { from: string; to: string } {
  const now = new Date();
  const yesterday = new Date(now.getTime() - 86_400_000);
  const end = now.getUTCDate() === 1 ? yesterday : now;
  return { from: `${dayOf(end).slice(0, 8)}01`, to: dayOf(end) };
}

export function CreateExport({ onClose }: { onClose: () => void }) {
  const [values, setValues] = useState<NewExport>({ dataset: 'jobs', format: 'csv', ...firstWindow() });
  const change = (changed: Partial<NewExport>) => setValues((before) => ({ ...before, ...changed }));
  const create = useChange({
    act: async () => (await api.POST('/api/v1/exports', { body: values })).data!.data,
    done: 'Export started.',
    refresh: [exportsKey],
    isErrorShown: true,
  });
  return (
    <FormDialog
      title="New export"
      label="Create export"
      change={create}
      fields={['dataset', 'format', 'from', 'to']}
      onClose={onClose}
    >
      <Radio.Group
        label="Contents"
        value={values.dataset}
        onChange={(dataset) => change({ dataset: dataset as DatasetName })}
        error={errorOf(create.error, 'dataset')}
      >
        <Stack gap="xs" mt="xs">
          {Object.entries(datasetWords).map(([name, { title, about }]) => (
            <Radio
              key={name}
              value={name}
              label={title}
              description={about}
              {...(name === values.dataset && { 'data-autofocus': true })}
            />
          ))}
        </Stack>
      </Radio.Group>
      <NativeSelect
        label="Format"
        data={Object.entries(formatTitles).map(([value, label]) => ({ value, label }))}
        value={values.format}
        onChange={(event) => change({ format: event.currentTarget.value as FormatName })}
        error={errorOf(create.error, 'format')}
      />
      <Group grow align="flex-start">
        <DayField
          label="From"
          description="UTC day"
          required
          max={dayOf(new Date())}
          value={values.from}
          onChange={(from) => change({ from })}
          error={errorOf(create.error, 'from')}
        />
        <DayField
          label="To"
          description="UTC day, inclusive"
          required
          min={values.from}
          value={values.to}
          onChange={(to) => change({ to })}
          error={errorOf(create.error, 'to')}
        />
      </Group>
      {values.dataset !== 'daily' && <RemovedRuns from={values.from} />}
    </FormDialog>
  );
}
