import { Stack, Text } from '@mantine/core';
import { api } from '../../../api/client.ts';
import { count, longDay } from '../../../ui/figures.ts';
import { AllowedButton } from '../../../ui/rights.tsx';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { isMoving } from '../../../ui/task.ts';
import { TaskBar } from '../../../ui/TaskBar.tsx';
import { useChange } from '../../../ui/useChange.ts';
import { When } from '../../../ui/When.tsx';
import { breaking, Columns, WideTable } from '../../../ui/WideTable.tsx';
import { backfillsKey, type Backfill } from './queries.ts';
import { notesOf, repositoriesText, waitWords } from './words.ts';

type Props = {
  backfills: Backfill[];
  reason: string | null;
};

export function BackfillTable({ backfills, reason }: Props) {
  return (
    <WideTable keepsLast label="Backfills" minWidth={900}>
      <Columns texts={['Repositories', 'Status', 'Started', 'Ends']} numbers={['Runs', 'Actions']} />
      <tbody>
        {backfills.map((each) => (
          <Row key={each.id} shown={each} reason={reason} />
        ))}
      </tbody>
    </WideTable>
  );
}

type RowProps = { shown: Backfill; reason: string | null };

function Row({ shown, reason }: RowProps) {
  const { done, total } = shown.progress;
  return (
    <tr style={{ verticalAlign: 'top' }}>
      <th scope="row" style={breaking}>
        <Text size="sm" fw={500} title={shown.repositories.join('\n')}>
          {repositoriesText(shown.repositories)}
        </Text>
        <Text size="sm" c="dimmed">
          {shown.is_nightly ? 'Nightly check, ' : ''}
          {longDay(shown.since.slice(0, 10))} to {longDay(shown.until.slice(0, 10))}
        </Text>
      </th>
      <td style={{ minWidth: 220, maxWidth: 420 }}>
        <State shown={shown} />
      </td>
      <td>
        <When at={shown.created_at} />
      </td>
      <td>
        <When at={shown.ended_at ?? shown.estimated_end_at} />
        {shown.ended_at === null && shown.estimated_end_at !== null && (
          <Text size="sm" c="dimmed">
            estimated
          </Text>
        )}
      </td>
      <td className="number">
        {count(done)}
        {total !== null && (isMoving(shown) || done < total) && ` of ${count(total)}`}
      </td>
      <td className="number">{isMoving(shown) && <Cancel shown={shown} reason={reason} />}</td>
    </tr>
  );
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

function Cancel({ shown, reason }: RowProps) {
  const cancel = useChange({
    act: async () => {
      await api.POST('/api/v1/backfills/{id}/cancel', { params: { path: { id: shown.id } } });
    },
    done: 'Backfill canceled. Imported runs stay.',
    refresh: [backfillsKey],
  });
  return (
    <AllowedButton
      size="compact-sm"
      variant="default"
      reason={reason}
      loading={cancel.isPending}
      aria-label={`Cancel the backfill of ${repositoriesText(shown.repositories)}`}
      onClick={() => cancel.mutate(undefined)}
    >
      Cancel
    </AllowedButton>
  );
}
