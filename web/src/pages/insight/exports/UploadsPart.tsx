import { useQuery } from '@tanstack/react-query';
import { api } from '../../../api/client.ts';
import { countColumn, timeColumn, numberColumn, textColumn } from '../../../ui/cells.tsx';
import type { Column } from '../../../ui/columns.ts';
import { SectionTitle } from '../../../ui/Panel.tsx';
import { ResourcePanel } from '../../../ui/ResourcePanel.tsx';
import { SmallButton } from '../../../ui/rights.tsx';
import { Note, When } from '../../../ui/text.tsx';
import { useChange } from '../../../ui/useChange.ts';
import { Written } from './exportColumns.tsx';
import { maxUploads, uploadsKey, uploadsQuery, type Upload } from './queries.ts';
import { sizeText } from './words.ts';

const columns: Column<Upload>[] = [
  textColumn('File', (upload) => upload.location ?? upload.file_name),
  {
    title: 'Status',
    isPlain: true,
    value: ({ status }) => status,
    cell: (upload) => <State upload={upload} />,
    className: 'long-text',
  },
  timeColumn('Uploaded', ({ ended_at: at }) => at),
  countColumn('Rows', ({ rows }) => rows, { isHiddenOnPhones: true }),
  numberColumn('Size', ({ bytes }) => bytes, sizeText, { isHiddenOnPhones: true }),
  { title: 'Actions', cell: (upload) => <Repeat upload={upload} /> },
];

function State({ upload }: { upload: Upload }) {
  const { status, next_attempt_at: next } = upload;
  return (
    <Written task={upload} status={next === null ? status : 'retrying'} isMoving={next === null}>
      {next !== null && (
        <Note>
          Next attempt <When at={next} />
        </Note>
      )}
    </Written>
  );
}

function Repeat({ upload }: { upload: Upload }) {
  const repeat = useChange({
    act: () => api.POST('/api/v1/export-uploads/{id}/repeat', { params: { path: { id: upload.id } } }),
    done: 'The upload starts at once.',
    refresh: [uploadsKey],
  });
  return (
    <SmallButton
      loading={repeat.isPending}
      aria-label={`Upload ${upload.file_name} again`}
      onClick={() => repeat.mutate(undefined)}
    >
      {upload.next_attempt_at === null ? 'Upload again' : 'Try now'}
    </SmallButton>
  );
}

/** Renders nothing until it is known whether there are scheduled exports, which are above it. */
export function UploadsPart({ hasScheduled }: { hasScheduled: boolean | undefined }) {
  const uploads = useQuery(uploadsQuery);
  if (hasScheduled === undefined || (!hasScheduled && !uploads.data?.length)) return null;
  return (
    <>
      <SectionTitle mt="xs">Uploads</SectionTitle>
      <ResourcePanel
        label="Uploads"
        query={uploads}
        columns={columns}
        minWidth={860}
        lead={uploads.data?.length === maxUploads && `The latest ${maxUploads} uploads`}
        empty={{ title: 'No uploads yet', text: 'The first upload starts within a minute.' }}
      />
    </>
  );
}
