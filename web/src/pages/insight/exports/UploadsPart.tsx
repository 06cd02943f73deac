import { Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../../api/client.ts';
import { countColumn, timeColumn } from '../../../ui/cells.tsx';
import type { Column } from '../../../ui/columns.ts';
import { sentence } from '../../../ui/figures.ts';
import { Note } from '../../../ui/Note.tsx';
import { plainError } from '../../../ui/plainError.ts';
import { ResourcePanel } from '../../../ui/ResourcePanel.tsx';
import { AllowedButton } from '../../../ui/rights.tsx';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { TaskBar } from '../../../ui/TaskBar.tsx';
import { useChange } from '../../../ui/useChange.ts';
import { When } from '../../../ui/When.tsx';
import { maxUploads, uploadsKey, uploadsQuery, type Upload } from './scheduledQueries.ts';
import { sizeText } from './words.ts';

const columns: Column<Upload>[] = [
  {
    title: 'File',
    value: (upload) => upload.location ?? upload.file_name,
    cell: (upload) => upload.location ?? upload.file_name,
    className: 'breaking',
  },
  {
    title: 'Status',
    isPlain: true,
    value: ({ status }) => status,
    cell: (upload) => <State upload={upload} />,
    className: 'long-text',
  },
  timeColumn('Uploaded', ({ ended_at: at }) => at),
  countColumn('Rows', ({ rows }) => rows, { isHiddenOnPhones: true }),
  {
    title: 'Size',
    isNumber: true,
    isHiddenOnPhones: true,
    value: ({ bytes }) => bytes,
    cell: ({ bytes }) => sizeText(bytes),
  },
  { title: 'Actions', cell: (upload) => <Repeat upload={upload} /> },
];

function State({ upload }: { upload: Upload }) {
  const { status, next_attempt_at: next, error } = upload;
  return (
    <Stack gap={4} align="flex-start">
      <StatusBadge status={next === null ? status : 'retrying'} />
      {next === null && <TaskBar task={upload} done="written" />}
      {error && (
        <Text size="sm" style={{ whiteSpace: 'normal', overflowWrap: 'anywhere' }}>
          {sentence(plainError(error))}
        </Text>
      )}
      {next !== null && (
        <Note>
          Next attempt <When at={next} />
        </Note>
      )}
    </Stack>
  );
}

function Repeat({ upload }: { upload: Upload }) {
  const repeat = useChange({
    act: () => api.POST('/api/v1/export-uploads/{id}/repeat', { params: { path: { id: upload.id } } }),
    done: 'The upload starts at once.',
    refresh: [uploadsKey],
  });
  return (
    <AllowedButton
      size="compact-sm"
      variant="default"
      reason={null}
      loading={repeat.isPending}
      aria-label={`Upload ${upload.file_name} again`}
      onClick={() => repeat.mutate(undefined)}
    >
      {upload.next_attempt_at === null ? 'Upload again' : 'Try now'}
    </AllowedButton>
  );
}

/** Renders nothing until it is known whether there are scheduled exports, which are above it. */
export function UploadsPart({ hasScheduled }: { hasScheduled: boolean | undefined }) {
  const uploads = useQuery(uploadsQuery);
  if (hasScheduled === undefined || (!hasScheduled && !uploads.data?.length)) return null;
  return (
    <>
      <Title order={2} size="h4" mt="xs">
        Uploads
      </Title>
      <ResourcePanel
        label="Uploads"
        query={uploads}
        columns={columns}
        keyOf={({ id }) => id}
        minWidth={860}
        lead={uploads.data?.length === maxUploads && `The latest ${maxUploads} uploads`}
        empty={{ title: 'No uploads yet', text: 'The first upload starts within a minute.' }}
      />
    </>
  );
}
