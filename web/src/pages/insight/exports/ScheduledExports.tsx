import { Button, Stack, Switch, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import type { Column } from '../../../ui/columns.ts';
import { Confirm } from '../../../ui/Confirm.tsx';
import { ResourcePanel } from '../../../ui/ResourcePanel.tsx';
import { RowMenu } from '../../../ui/RowMenu.tsx';
import { useChange } from '../../../ui/useChange.ts';
import { When } from '../../../ui/When.tsx';
import { ScheduledExportForm } from './ScheduledExportForm.tsx';
import { scheduledKey, scheduledQuery, uploadsKey, type ScheduledExport } from './scheduledQueries.ts';
import { UploadsPart } from './UploadsPart.tsx';
import { datasetWords, formatTitles, frequencyTitles } from './words.ts';

function nameOf({ dataset, format, frequency }: ScheduledExport): string {
  return `${frequencyTitles[frequency]}: ${datasetWords[dataset].title}, ${formatTitles[format]}`;
}

function targetOf({ endpoint, bucket, prefix }: ScheduledExport): string {
  return [endpoint.replace(/^https:\/\//, ''), bucket, prefix].filter(Boolean).join('/');
}

type Asked = { onEdit: (shown: ScheduledExport) => void; onDelete: (shown: ScheduledExport) => void };

function columnsFor({ onEdit, onDelete }: Asked): Column<ScheduledExport>[] {
  return [
    {
      title: 'Scheduled export',
      value: nameOf,
      cell: (shown) => (
        <>
          <Text size="sm" fw={500}>
            {nameOf(shown)}
          </Text>
          <Text size="sm" c="dimmed" className="row-note">
            {targetOf(shown)}
          </Text>
        </>
      ),
      className: 'breaking',
    },
    {
      title: 'Next',
      value: ({ next_at: at }) => at,
      cell: ({ next_at: at }) => (at === null ? '–' : <When at={at} full />),
    },
    {
      title: 'On',
      isPlain: true,
      value: ({ enabled }) => (enabled ? 'on' : 'off'),
      cell: (shown) => <OnSwitch shown={shown} />,
      className: 'row-beside',
    },
    {
      title: 'Actions',
      cell: (shown) => <Actions shown={shown} onEdit={onEdit} onDelete={onDelete} />,
    },
  ];
}

const pathOf = ({ id }: ScheduledExport) => ({ params: { path: { id } } });

function useSwitch(shown: ScheduledExport) {
  return useChange({
    act: async (enabled: boolean) => {
      await api.PUT('/api/v1/scheduled-exports/{id}', { ...pathOf(shown), body: { enabled } });
    },
    done: 'Scheduled export saved.',
    refresh: [scheduledKey],
  });
}

function OnSwitch({ shown }: { shown: ScheduledExport }) {
  const change = useSwitch(shown);
  return (
    <Switch
      checked={change.isPending ? change.variables : shown.enabled}
      disabled={change.isPending}
      onChange={(event) => change.mutate(event.currentTarget.checked)}
      aria-label={`${nameOf(shown)} is on`}
    />
  );
}

function Actions({ shown, onEdit, onDelete }: Asked & { shown: ScheduledExport }) {
  const tried = useChange({
    act: async () => {
      const { data } = await api.POST('/api/v1/scheduled-exports/{id}/test', pathOf(shown));
      const { written, error } = data!.data;
      if (!written) throw new Error(error ?? 'The storage refused the file.');
    },
    done: 'The storage took the file runcost-test.txt.',
  });
  return (
    <RowMenu
      of={nameOf(shown)}
      items={[
        {
          label: 'Test the destination',
          reason: tried.isPending ? 'The test is running.' : null,
          onClick: () => tried.mutate(undefined),
        },
        { label: 'Edit', onClick: () => onEdit(shown) },
        { label: 'Delete', onClick: () => onDelete(shown) },
      ]}
    />
  );
}

export function ScheduledExports() {
  const scheduled = useQuery(scheduledQuery);
  const [isCreating, setIsCreating] = useState(false);
  const [editing, setEditing] = useState<ScheduledExport | null>(null);
  const [deleting, setDeleting] = useState<ScheduledExport | null>(null);
  return (
    <Stack gap="sm" mt="lg">
      <Title order={2} size="h4">
        Scheduled exports
      </Title>
      <ResourcePanel
        label="Scheduled exports"
        query={scheduled}
        rowsOf={(list) => list}
        columns={columnsFor({ onEdit: setEditing, onDelete: setDeleting })}
        keyOf={({ id }) => id}
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
        {editing && <ScheduledExportForm changed={editing} onClose={() => setEditing(null)} />}
        {deleting && <DeleteScheduled shown={deleting} onClose={() => setDeleting(null)} />}
      </ResourcePanel>
      <UploadsPart hasScheduled={scheduled.data && scheduled.data.length > 0} />
    </Stack>
  );
}

function DeleteScheduled({ shown, onClose }: { shown: ScheduledExport; onClose: () => void }) {
  const remove = useChange({
    act: async () => {
      await api.DELETE('/api/v1/scheduled-exports/{id}', pathOf(shown));
    },
    done: 'Scheduled export deleted.',
    refresh: [scheduledKey, uploadsKey],
  });
  const change = useSwitch(shown);
  return (
    <Confirm
      title="Delete this scheduled export?"
      label="Delete scheduled export"
      instead={
        shown.enabled
          ? {
              label: 'Turn off instead',
              isBusy: change.isPending,
              onClick: () => change.mutate(false, { onSettled: onClose }),
            }
          : undefined
      }
      isBusy={remove.isPending}
      onClose={onClose}
      onConfirm={() => remove.mutate(undefined, { onSettled: onClose })}
    >
      {nameOf(shown)}, to {targetOf(shown)}. Uploads that wait are canceled. Files in the storage stay.
    </Confirm>
  );
}
