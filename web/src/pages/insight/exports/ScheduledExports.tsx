import { Button, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { nameColumn, timeColumn } from '../../../ui/cells.tsx';
import type { Column } from '../../../ui/columns.ts';
import { OnSwitch } from '../../../ui/OnSwitch.tsx';
import { SectionTitle } from '../../../ui/Panel.tsx';
import { ResourcePanel } from '../../../ui/ResourcePanel.tsx';
import type { RowActions } from '../../../ui/rowActions.tsx';
import { useChange } from '../../../ui/useChange.ts';
import { scheduledKey, scheduledQuery, uploadsKey, type ScheduledExport } from './queries.ts';
import { ScheduledExportForm } from './ScheduledExportForm.tsx';
import { UploadsPart } from './UploadsPart.tsx';
import { formatTitles, frequencyTitles, titleOf } from './words.ts';

function nameOf(shown: ScheduledExport): string {
  return `${frequencyTitles[shown.frequency]}: ${titleOf(shown)}, ${formatTitles[shown.format]}`;
}

function targetOf({ endpoint, bucket, prefix }: ScheduledExport): string {
  return [endpoint.replace(/^https:\/\//, ''), bucket, prefix].filter(Boolean).join('/');
}

const pathOf = ({ id }: ScheduledExport) => ({ params: { path: { id } } });

const saved = 'Scheduled export saved.';

const turn = (shown: ScheduledExport, enabled: boolean) =>
  api.PUT('/api/v1/scheduled-exports/{id}', { ...pathOf(shown), body: { enabled } });

const columns: Column<ScheduledExport>[] = [
  nameColumn('Scheduled export', nameOf, targetOf),
  timeColumn('Next', ({ next_at: at }) => at, { look: { full: true } }),
  {
    title: 'On',
    isPlain: true,
    value: ({ enabled }) => (enabled ? 'on' : 'off'),
    cell: (shown) => (
      <OnSwitch
        name={nameOf(shown)}
        isOn={shown.enabled}
        act={(enabled) => turn(shown, enabled)}
        done={saved}
        refresh={[scheduledKey]}
      />
    ),
    className: 'row-beside',
  },
];

function useTest() {
  return useChange({
    act: async (shown: ScheduledExport) => {
      const { data } = await api.POST('/api/v1/scheduled-exports/{id}/test', pathOf(shown));
      const { written, error } = data!.data;
      if (!written) throw new Error(error ?? 'The storage refused the file.');
    },
    done: 'The storage took the file runcost-test.txt.',
  });
}

const actionsOf = (test: ReturnType<typeof useTest>): RowActions<ScheduledExport> => ({
  of: nameOf,
  more: (shown) => [
    {
      label: 'Test the destination',
      reason: test.isPending && test.variables === shown ? 'The test is running.' : null,
      onClick: () => test.mutate(shown),
    },
  ],
  edit: { form: (shown, close) => <ScheduledExportForm changed={shown} onClose={close} /> },
  remove: {
    what: 'scheduled export',
    text: (shown) =>
      `${nameOf(shown)}, to ${targetOf(shown)}. Uploads that wait are canceled. Files in the storage stay.`,
    act: (shown) => api.DELETE('/api/v1/scheduled-exports/{id}', pathOf(shown)),
    done: () => 'Scheduled export deleted.',
    refresh: [scheduledKey, uploadsKey],
    instead: (shown) =>
      shown.enabled ? { label: 'Turn off instead', act: () => turn(shown, false), done: saved } : null,
  },
});

export function ScheduledExports() {
  const scheduled = useQuery(scheduledQuery);
  const [isCreating, setIsCreating] = useState(false);
  const test = useTest();
  return (
    <Stack gap="sm" mt="lg">
      <SectionTitle>Scheduled exports</SectionTitle>
      <ResourcePanel
        label="Scheduled exports"
        query={scheduled}
        columns={columns}
        rowActions={actionsOf(test)}
        minWidth={760}
        lead={
          scheduled.data?.length !== 0 &&
          'Uploaded two hours after each day, week or month has ended. Days are UTC days.'
        }
        actions={
          <Button variant="default" onClick={() => setIsCreating(true)}>
            New scheduled export
          </Button>
        }
        empty={{
          title: 'No scheduled exports',
          text: 'Upload a file each day, week or month to Amazon S3 or compatible storage.',
        }}
      >
        {isCreating && <ScheduledExportForm changed={null} onClose={() => setIsCreating(false)} />}
      </ResourcePanel>
      <UploadsPart hasScheduled={scheduled.data && scheduled.data.length > 0} />
    </Stack>
  );
}
