import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Pick } from '../../../analysis/Pick.tsx';
import type { Costs } from '../../../analysis/queries.ts';
import type { Question } from '../../../analysis/question.ts';
import { datesOf } from '../../../analysis/ranges.ts';
import { ApiError } from '../../../api/client.ts';
import { longDay } from '../../../ui/figures.ts';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Money } from '../../../ui/Money.tsx';
import { Note } from '../../../ui/Note.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { RemovedRuns } from '../../../ui/RemovedRuns.tsx';
import { statusInWords } from '../../../ui/StatusBadge.tsx';
import { useDropped } from '../../../ui/useAddress.ts';
import { useFollowing } from '../../../ui/useFollowing.ts';
import { runSums, useRuns } from './queries.ts';
import { dayKinds, daysChange, runOrderParameters, states, type RunFilter } from './runFilter.ts';
import { RunsTable } from './RunsTable.tsx';

type Props = {
  workflowId: string;
  question: Question;
  today: string;
  filter: RunFilter;
  costs: Costs | undefined;
  onChange: (changes: Record<string, string | null>, options?: { replace?: boolean }) => void;
};

const minSecondsBetweenSums = 10;
const step = 10;

export function Runs({ workflowId, question, today, filter, costs, onChange }: Props) {
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
      <Loaded query={runs} height={480}>
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
        <Button variant="default" size="compact-sm" onClick={onAll}>
          Show all days
        </Button>
      </Group>
    </Alert>
  );
}
