import { Anchor, Stack, Text } from '@mantine/core';
import { api } from '../../../api/client.ts';
import { sourcesKey, type Source } from '../../../api/queries.ts';
import { CancelButton } from '../../../ui/CancelButton.tsx';
import { nameColumn, timeColumn } from '../../../ui/cells.tsx';
import type { Column } from '../../../ui/columns.ts';
import { count, longDay } from '../../../ui/figures.ts';
import { SmallButton } from '../../../ui/rights.tsx';
import { isMoving, percentDone } from '../../../ui/task.ts';
import { TaskBar } from '../../../ui/TaskBar.tsx';
import { LongText, Note, StatusBadge, When } from '../../../ui/text.tsx';
import { useChange } from '../../../ui/useChange.ts';
import { backfillsKey, type Backfill } from './queries.ts';
import { canRepeat, notesOf, repositoriesText, waitWords } from './words.ts';

type Asked = {
  reason: string | null;
  sources: readonly Source[];
  onCredentials: (source: Source) => void;
};

export function backfillColumns({ reason, sources, onCredentials }: Asked): Column<Backfill>[] {
  const sourceOf = ({ source_id: id }: Backfill) => sources.find((source) => source.id === id);
  return [
    nameColumn(
      'Repositories',
      ({ repositories }) => repositoriesText(repositories),
      ({ repositories, is_nightly: isNightly, since, until }) => (
        <span title={repositories.join('\n')}>
          {isNightly && 'Nightly check, '}
          {longDay(since.slice(0, 10))} to {longDay(until.slice(0, 10))}
        </span>
      ),
    ),
    {
      title: 'Status',
      value: ({ status }) => status,
      className: 'long-text',
      cell: (shown) => {
        const source = sourceOf(shown);
        return <State shown={shown} onCredentials={source && (() => onCredentials(source))} />;
      },
    },
    timeColumn('Started', ({ created_at: at }) => at),
    timeColumn('Ended', ({ ended_at: at }) => at, { isHiddenOnPhones: true }),
    { title: 'Runs read', isNumber: true, value: ({ progress }) => progress.done, cell: runsText },
    ...(reason === null
      ? [
          {
            title: 'Actions',
            cell: (shown: Backfill) =>
              isMoving(shown) ? (
                <Cancel shown={shown} />
              ) : (
                canRepeat(shown) && sourceOf(shown)?.has_credentials && <Repeat shown={shown} />
              ),
          },
        ]
      : []),
  ];
}

function runsText(shown: Backfill): string {
  const { done, total } = shown.progress;
  const isOfTotal = total !== null && (isMoving(shown) || done < total);
  return isOfTotal ? `${count(done)} of ${count(total)}` : count(done);
}

const maxShown = 3;

function State({ shown, onCredentials }: { shown: Backfill; onCredentials: (() => void) | undefined }) {
  const { waiting } = shown;
  const notes = notesOf(shown);
  return (
    <Stack gap={4} align="flex-start">
      <StatusBadge status={waiting ? 'waiting' : shown.status} />
      <TaskBar task={shown} done="read" />
      <Progress shown={shown} />
      {waiting && (
        <LongText>
          {waitWords[waiting.reason]}
          {waiting.message &&
            ` ${waiting.message}. Attempt ${waiting.attempt} of ${waiting.max_attempts}.`}{' '}
          Retry: <When at={waiting.until} isNext />.
        </LongText>
      )}
      {/* When every repository fails, the error is made of the notes. */}
      {shown.error && shown.problems.length === 0 && <LongText>{shown.error}</LongText>}
      {notes.slice(0, maxShown).map((note) => (
        <LongText key={note}>{note}</LongText>
      ))}
      {notes.length > maxShown && (
        <Text size="sm" title={notes.join('\n')}>
          and {notes.length - maxShown} more
        </Text>
      )}
      {onCredentials && (shown.error !== null || shown.problems.length > 0) && (
        <Anchor
          component="button"
          type="button"
          size="sm"
          underline="always"
          aria-label={`Check the credentials for ${repositoriesText(shown.repositories)}`}
          onClick={onCredentials}
        >
          Check the credentials
        </Anchor>
      )}
    </Stack>
  );
}

function Progress({ shown }: { shown: Backfill }) {
  const { waiting, estimated_end_at: end } = shown;
  const percent = percentDone(shown);
  if (!isMoving(shown) || waiting) return null;
  return (
    <Note>
      {percent === null ? 'Looking for runs' : `${percent}% read`}
      {end !== null && (
        <>
          , done <When at={end} isNext />
        </>
      )}
    </Note>
  );
}

/** Starts the same backfill again. Runs that are already recorded are not added again. */
function Repeat({ shown }: { shown: Backfill }) {
  const { repositories, since, until, source_id: source } = shown;
  const repeat = useChange({
    act: async () => {
      const body = { repositories, since, until, ...(source !== null && { source_id: source }) };
      await api.POST('/api/v1/backfills', { body });
    },
    done: 'Backfill started.',
    refresh: [backfillsKey, sourcesKey],
  });
  return (
    <SmallButton
      loading={repeat.isPending}
      aria-label={`Try again: backfill of ${repositoriesText(repositories)}`}
      onClick={() => repeat.mutate(undefined)}
    >
      Try again
    </SmallButton>
  );
}

function Cancel({ shown }: { shown: Backfill }) {
  return (
    <CancelButton
      what={`the backfill of ${repositoriesText(shown.repositories)}`}
      reason={null}
      act={() => api.POST('/api/v1/backfills/{id}/cancel', { params: { path: { id: shown.id } } })}
      done="Backfill canceled. Recorded runs stay."
      refresh={[backfillsKey]}
    />
  );
}
