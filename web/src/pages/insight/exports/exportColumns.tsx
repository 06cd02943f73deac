import { Button, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { api } from '../../../api/client.ts';
import { useOrganizationId } from '../../../api/session.ts';
import { CancelButton } from '../../../ui/CancelButton.tsx';
import { countColumn, nameColumn, numberColumn, timeColumn } from '../../../ui/cells.tsx';
import type { Column } from '../../../ui/columns.ts';
import { sentence } from '../../../ui/figures.ts';
import { plainError } from '../../../ui/plainError.ts';
import { isMoving, type Task } from '../../../ui/task.ts';
import { TaskBar } from '../../../ui/TaskBar.tsx';
import { LongText, StatusBadge } from '../../../ui/text.tsx';
import { exportsKey, type Export } from './queries.ts';
import { formatTitles, sizeText, titleOf, windowText } from './words.ts';

export function exportColumns(reason: string | null): Column<Export>[] {
  return [
    nameColumn<Export>('File', (shown) => `${titleOf(shown)}, ${formatTitles[shown.format]}`, windowText),
    {
      title: 'Status',
      isPlain: true,
      value: ({ status }) => status,
      className: 'long-text',
      cell: (shown) => (
        <Written
          task={shown}
          status={shown.status === 'done' && !shown.download_url ? 'expired' : shown.status}
        />
      ),
    },
    timeColumn('Created', ({ created_at: at }) => at, { isHiddenOnPhones: true }),
    timeColumn('Expires', ({ expires_at: at }) => at),
    countColumn('Rows', ({ rows }) => rows, { isHiddenOnPhones: true }),
    numberColumn('Size', ({ bytes }) => bytes, sizeText, { isPlain: true }),
    {
      title: 'Actions',
      cell: (shown) => (shown.download_url || isMoving(shown)) && <Action shown={shown} reason={reason} />,
    },
  ];
}

type WrittenProps = {
  task: Task & { error: string | null };
  status: string;
  isMoving?: boolean;
  children?: ReactNode;
};

/** How far the server is with writing a file. */
export function Written({ task, status, isMoving: isShown = true, children }: WrittenProps) {
  return (
    <Stack gap={4} align="flex-start">
      <StatusBadge status={status} />
      {isShown && <TaskBar task={task} done="written" />}
      {task.error && <LongText>{sentence(plainError(task.error))}</LongText>}
      {children}
    </Stack>
  );
}

function Action({ shown, reason }: { shown: Export; reason: string | null }) {
  const organizationId = useOrganizationId();
  const what = `${titleOf(shown)}, ${formatTitles[shown.format]}, ${windowText(shown)}`;
  if (shown.download_url) {
    // A relative address, because the browser is signed in at this host and not at PUBLIC_URL.
    return (
      <Button
        component="a"
        href={`/api/v1/exports/${shown.id}/download?org_id=${organizationId}`}
        download={shown.file_name}
        size="compact-sm"
        variant="default"
        aria-label={`Download ${what}`}
      >
        Download
      </Button>
    );
  }
  return (
    <CancelButton
      what={what}
      reason={reason}
      act={() => api.POST('/api/v1/exports/{id}/cancel', { params: { path: { id: shown.id } } })}
      done="Export canceled. Its file was deleted."
      refresh={[exportsKey]}
    />
  );
}
