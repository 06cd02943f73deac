import { Radio, Stack } from '@mantine/core';
import { DayField } from '../../../analysis/DayField.tsx';
import { api } from '../../../api/client.ts';
import { optionsOf } from '../../../ui/Choice.tsx';
import { Form } from '../../../ui/Form.tsx';
import { RemovedRuns } from '../../../ui/RemovedRuns.tsx';
import { exportsKey, type DatasetName, type NewExport } from './queries.ts';
import { datasetWords, formatTitles, versionField, withVersion } from './words.ts';

const dayOf = (instant: Date) => instant.toISOString().slice(0, 10);

/** The month to date in UTC; on its first day, the previous month. */
function firstWindow(): { from: string; to: string } {
  const now = new Date();
  const yesterday = new Date(now.getTime() - 86_400_000);
  const end = now.getUTCDate() === 1 ? yesterday : now;
  return { from: `${dayOf(end).slice(0, 8)}01`, to: dayOf(end) };
}

export function CreateExport({ onClose }: { onClose: () => void }) {
  return (
    <Form<NewExport, unknown>
      title="New export"
      label="Create export"
      initial={{ dataset: 'jobs', version: '1.3', format: 'csv', ...firstWindow() }}
      fields={({ values, input }) => [
        <Contents {...input('dataset')} />,
        values.dataset === 'focus' && versionField,
        { name: 'format', kind: 'choice', label: 'Format', options: optionsOf(formatTitles) },
        [
          <DayField label="From" description="UTC day" required max={dayOf(new Date())} {...input('from')} />,
          <DayField
            label="To"
            description="UTC day, inclusive"
            required
            min={values.from}
            {...input('to')}
          />,
        ],
        isOfRuns(values.dataset) && <RemovedRuns from={values.from} />,
      ]}
      act={(body) => api.POST('/api/v1/exports', { body: withVersion(body) })}
      done="Export started."
      refresh={[exportsKey]}
      onClose={onClose}
    />
  );
}

/** Days and bills are complete without their runs. */
function isOfRuns(dataset: DatasetName): boolean {
  return ['jobs', 'runs', 'focus'].includes(dataset);
}

type ContentsProps = { value: DatasetName; onChange: (name: DatasetName) => void; error: string | null };

function Contents({ value, onChange, error }: ContentsProps) {
  return (
    <Radio.Group
      label="Contents"
      value={value}
      onChange={(name) => onChange(name as DatasetName)}
      error={error}
    >
      <Stack gap="xs" mt="xs">
        {Object.entries(datasetWords).map(([name, { title, about }]) => (
          <Radio
            key={name}
            value={name}
            label={title}
            description={about}
            {...(name === value && { 'data-autofocus': true })}
          />
        ))}
      </Stack>
    </Radio.Group>
  );
}
