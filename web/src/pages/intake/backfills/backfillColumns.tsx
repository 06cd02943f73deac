import { Stack, Text } from '@mantine/core';
import { api } from '../../../api/client.ts';
import { CancelButton } from '../../../ui/CancelButton.tsx';
import type { Column } from '../../../ui/columns.ts';
import { count, longDay } from '../../../ui/figures.ts';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { isMoving } from '../../../ui/task.ts';
import { TaskBar } from '../../../ui/TaskBar.tsx';
import { When } from '../../../ui/When.tsx';
import { backfillsKey, type Backfill } from './queries.ts';
import { notesOf, repositoriesText, waitWords } from './words.ts';

export function backfillColumns(reason: string | null): Column<Backfill>[] {
  return [
    {
      title: 'Repositories',
      value: ({ repositories }) => repositoriesText(repositories),
      cell: (shown) => (
        <>
          <Text size="sm" fw={500} title={shown.repositories.join('\n')}>
            {repositoriesText(shown.repositories)}
          </Text>
          <Text size="sm" c="dimmed">
            {shown.is_nightly ? 'Nightly check, ' : ''}
            {longDay(shown.since.slice(0, 10))} to {longDay(shown.until.slice(0, 10))}
          </Text>
        </>
      ),
    },
    {
      title: 'Status',
      value: ({ status }) => status,
      className: 'long-text',
      cell: (shown) => <State shown={shown} />,
    },
    { title: 'Started', value: ({ created_at: at }) => at, cell: ({ created_at: at }) => <When at={at} /> },
    { title: 'Ends', value: endOf, cell: Ends },
    { title: 'Runs', isNumber: true, value: ({ progress }) => progress.done, cell: runsText },
    ...(reason === null
      ? [{ title: 'Actions', cell: (shown: Backfill) => isMoving(shown) && <Cancel shown={shown} /> }]
      : []),
  ];
}

const endOf = ({ ended_at: ended, estimated_end_at: estimated }: Backfill) => ended ?? estimated;

function Ends(shown: Backfill) {
  return (
    <>
      <When at={endOf(shown)} />
      {shown.ended_at === null && shown.estimated_end_at !== null && (
        <Text size="sm" c="dimmed">
          estimated
        </Text>
      )}
    </>
  );
}

function runsText(shown: Backfill): string {
  const { done, total } = shown.progress;
  const isOfTotal = total !== null && (isMoving(shown) || done < total);
  return isOfTotal ? `${count(done)} of ${count(total)}` : count(done);
}

const wrapped = { whiteSpace: 'normal', overflowWrap: 'anywhere' } as const;
const maxShown = 3;

function State({ shown }: { shown: Backfill }) {
  const { waiting } = shown;
  const notes = notesOf(shown);
  return (
    <Stack gap={4} align="flex-start">
      <StatusBadge status={waiting ? 'waiting' : shown.status} />
      <TaskBar task={shown} done="read" />
      {waiting && (
        <Text size="sm" style={wrapped}>
          {waitWords[waiting.reason]}
          {waiting.message &&
            ` ${waiting.message}. Attempt ${waiting.attempt} of ${waiting.max_attempts}.`}{' '}
          Retry: <When at={waiting.until} isNext />.
        </Text>
      )}
      {shown.error && (
        <Text size="sm" style={wrapped}>
          {shown.error}
        </Text>
      )}
      {notes.slice(0, maxShown).map((note) => (
        <Text key={note} size="sm" style={wrapped}>
          {note}
        </Text>
      ))}
      {notes.length > maxShown && (
        <Text size="sm" title={notes.join('\n')}>
          and {notes.length - maxShown} more
        </Text>
      )}
    </Stack>
  );
}

function Cancel({ shown }: { shown: Backfill }) {
  return (
    <CancelButton
      what={`the backfill of ${repositoriesText(shown.repositories)}`}
      reason={null}
      act={async () => {
        await api.POST('/api/v1/backfills/{id}/cancel', { params: { path: { id: shown.id } } });
      }}
      done="Backfill canceled. Imported runs stay."
      refresh={[backfillsKey]}
    />
  );
}
