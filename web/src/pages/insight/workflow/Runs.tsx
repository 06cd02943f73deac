import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Pick } from '../../../analysis/Pick.tsx';
import type { Costs } from '../../../analysis/queries.ts';
import type { Question } from '../../../analysis/question.ts';
import { datesOf } from '../../../analysis/ranges.ts';
import { zoneName } from '../../../api/calendar.ts';
import { ApiError } from '../../../api/client.ts';
import {
  countColumn,
  numberColumn,
  shownColumn,
  statusColumn,
  textColumn,
  timeColumn,
} from '../../../ui/cells.tsx';
import type { Column, Order } from '../../../ui/columns.ts';
import { DataTable } from '../../../ui/DataTable.tsx';
import { duration, longDay, sentence } from '../../../ui/figures.ts';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { RemovedRuns } from '../../../ui/RemovedRuns.tsx';
import { SmallButton } from '../../../ui/rights.tsx';
import { Money, Note, RowLink, RunCost, statusInWords } from '../../../ui/text.tsx';
import { runAddress, useDropped } from '../../../ui/useAddress.ts';
import { useFollowing } from '../../../ui/useFollowing.ts';
import { type ListedRun, runSums, useRuns } from './queries.ts';
import { dayKinds, daysChange, type RunFilter, runOrderParameters, states } from './runFilter.ts';

type Props = {
  workflowId: string;
  question: Question;
  today: string;
  filter: RunFilter;
  /** Pixels, of a full list. */
  height: number;
  costs: Costs | undefined;
  onChange: (changes: Record<string, string | null>, options?: { replace?: boolean }) => void;
};

/** Of the runs with a job on one day, which cannot be sorted in another way. */
const newestFirst: Order = { column: 'created', isDescending: true };

const minSecondsBetweenSums = 10;
const step = 10;

export function Runs({ workflowId, question, today, filter, height, costs, onChange }: Props) {
  const [limit, setLimit] = useState(step);
  const runs = useRuns(workflowId, question, { today, filter, limit });
  // The day may be in the future, or before the history of the plan.
  const isHiddenDay = filter.onDay !== null && runs.error instanceof ApiError && runs.error.status === 400;
  useDropped(dayKinds, isHiddenDay);
  useFollowing(runs.data?.runs, runSums, minSecondsBetweenSums);
  const isOfJobs = filter.onDay?.kind === 'completed_on';
  return (
    <Panel
      title="Runs"
      aside={
        <Pick
          label="Status"
          value={filter.state ?? 'any'}
          options={[
            { value: 'any', title: 'Any' },
            ...states.map((value) => ({
              value,
              title: value === 'unfinished' ? 'not ended' : statusInWords(value),
            })),
          ]}
          onChange={(state) => onChange({ state: state === 'any' ? null : state })}
        />
      }
    >
      {filter.onDay && (
        <OneDay
          onDay={filter.onDay}
          cost={costs?.total.series.find(({ start }) => start === filter.onDay?.day)?.value}
          onAll={() => onChange(daysChange('completed_on', null))}
        />
      )}
      <RemovedRuns from={filter.onDay?.day ?? datesOf(question.range, today).from} />
      <Loaded query={runs} height={height}>
        {({ runs: listed, hasMore }) => (
          <Stack gap="sm" className={runs.isPlaceholderData ? 'is-stale' : undefined}>
            {listed.length > 0 ? (
              <RunsTable
                runs={listed}
                order={filter.order}
                onOrder={isOfJobs ? null : (order) => onChange(runOrderParameters(order))}
              />
            ) : (
              <Note>
                {filter.onDay ? 'No matching runs on this day.' : 'No matching runs in this period.'}
              </Note>
            )}
            {hasMore && (
              <Group justify="center">
                <Button
                  size="xs"
                  variant="default"
                  loading={runs.isPlaceholderData}
                  onClick={() => setLimit(Math.min(1_000, limit * 2))}
                >
                  Show more
                </Button>
              </Group>
            )}
          </Stack>
        )}
      </Loaded>
    </Panel>
  );
}

type OneDayProps = {
  onDay: NonNullable<RunFilter['onDay']>;
  cost: number | undefined;
  onAll: () => void;
};

function OneDay({ onDay: { kind, day }, cost, onAll }: OneDayProps) {
  return (
    <Alert variant="outline" color="gray" p="sm">
      <Group justify="space-between" gap="xs">
        <Text size="sm" flex="1 1 240px">
          {kind === 'created_on' ? (
            `Runs created on ${longDay(day)} (UTC).`
          ) : (
            <>
              Runs with a billed job that completed on {longDay(day)} (UTC).{' '}
              {cost !== undefined && (
                <>
                  Jobs of that day cost <Money amount={cost} />.{' '}
                </>
              )}
              A run shows its whole cost, including jobs that completed on other days.
            </>
          )}
        </Text>
        <SmallButton onClick={onAll}>Show all days</SmallButton>
      </Group>
    </Alert>
  );
}

type TableProps = {
  runs: ListedRun[];
  order: Order;
  onOrder: ((order: Order) => void) | null;
};

function RunsTable({ runs, order, onOrder }: TableProps) {
  return (
    <DataTable
      label="Runs"
      minWidth={900}
      rows={runs}
      columns={columns()}
      hrefOf={({ id }) => runAddress(id)}
      {...(onOrder ? { order, onOrder } : { order: newestFirst, isPart: true })}
      isStacked
    />
  );
}

const columns = (): Column<ListedRun>[] => [
  {
    title: 'Run',
    cell: ({ id, run_number: number }) => (
      <RowLink href={runAddress(id)}>
        {number === null ? id.replace(/^run_[^_]+_/, '') : `#${number}`}
      </RowLink>
    ),
  },
  statusColumn(({ conclusion, status }) => conclusion ?? status),
  {
    title: 'Cost',
    sort: 'cost',
    isNumber: true,
    isMain: true,
    cell: ({ cost, status }) => <RunCost cost={cost} status={status} />,
  },
  timeColumn(`Created (${zoneName(new Date())})`, ({ created_at: at }) => at, {
    sort: 'created',
    isNumber: true,
    isPlain: true,
    look: { inRow: true },
  }),
  numberColumn(
    'Duration',
    (run) => (run.completed_at === null ? null : run.duration_seconds),
    (seconds) => duration(Math.round(seconds)),
    { sort: 'duration', isPlain: true },
  ),
  countColumn('Attempts', ({ attempt }) => attempt, { isHiddenOnPhones: true }),
  textColumn('Branch', ({ branch }) => branch, { className: 'breaks', isPlain: true }),
  shownColumn('Commit', ({ commit }) => commit, commitCell, { isHiddenOnPhones: true }),
  shownColumn('Event', ({ event }) => event, eventInWords, { isHiddenOnPhones: true }),
  textColumn('Triggered by', ({ actor }) => actor, { className: 'breaks', isHiddenOnPhones: true }),
];

const commitCell = (commit: string) => <code className="commit">{commit.slice(0, 7)}</code>;
const eventInWords = (event: string) => sentence(event.replaceAll('_', ' '));
