import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { ApiError } from '../../../api/client.ts';
import { Choice } from '../../../ui/Choice.tsx';
import { countOf, dollars, longDay } from '../../../ui/figures.ts';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Money } from '../../../ui/Money.tsx';
import { Pager } from '../../../ui/Pager.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { SearchField } from '../../../ui/SearchField.tsx';
import { statusInWords } from '../../../ui/StatusBadge.tsx';
import { useDropped } from '../../../ui/useAddress.ts';
import { useFollowing } from '../../../ui/useFollowing.ts';
import { runSums, useRuns, type WorkflowDay } from './queries.ts';
import { dayKinds, daysChange, runsAsked, stateNames, type RunFilter } from './runFilter.ts';
import { RunsTable } from './RunsTable.tsx';

type Props = {
  workflowId: string;
  filter: RunFilter;
  daily: WorkflowDay[];
  onChange: (changes: Record<string, string | null>, options?: { replace?: boolean }) => void;
};

const minSecondsBetweenSums = 10;

export function Runs({ workflowId, filter, daily, onChange }: Props) {
  const runs = useRuns(runsAsked(workflowId, filter));
  // The plan may not show the day, or it is in the future.
  const isHiddenDay = filter.onDay !== null && runs.error instanceof ApiError && runs.error.status === 400;
  useDropped(dayKinds, isHiddenDay);
  useFollowing(runs.data?.data, runSums, minSecondsBetweenSums);
  const branches = [...new Set(runs.data?.data.flatMap(({ branch }) => branch ?? []))].toSorted();
  return (
    <Panel title="Runs">
      <Group align="flex-end" gap="sm">
        <SearchField
          label="Branch"
          placeholder="Exact name"
          value={filter.branch}
          suggestions={branches}
          onSettled={(branch) => onChange({ branch }, { replace: true })}
        />
        <Choice
          label="Status"
          none="Any status"
          value={filter.state}
          onChange={(state) => onChange({ state })}
          options={stateNames.map((state) => ({ value: state, label: statusInWords(state) }))}
        />
        <Choice
          label="Cost on day"
          none="Any day"
          value={filter.onDay?.kind === 'completed_on' ? filter.onDay.day : null}
          onChange={(day) => onChange(daysChange('completed_on', day))}
          options={daily
            .toReversed()
            .map(({ date, cost }) => ({ value: date, label: `${longDay(date)}: ${dollars(cost)}` }))}
        />
      </Group>
      {filter.onDay && (
        <OneDay
          onDay={filter.onDay}
          ofDay={daily.find(({ date }) => date === filter.onDay?.day)}
          onAll={() => onChange(daysChange('completed_on', null))}
        />
      )}
      <Loaded query={runs} height={480}>
        {({ data, pagination, period }) => (
          <Stack gap="sm">
            {data.length > 0 ? (
              <RunsTable runs={data} />
            ) : (
              <Text size="sm" c="dimmed">
                {filter.onDay
                  ? 'No matching runs on this day.'
                  : `No matching runs since ${longDay(period.start)}.`}
              </Text>
            )}
            {!filter.onDay && period.days < Number(filter.days) && (
              <Text size="sm" c="dimmed">
                We searched only the last {countOf(period.days, 'day')}.
              </Text>
            )}
            <Pager
              pagination={pagination}
              one="run"
              onPage={(page) => onChange({ page: page === 1 ? null : String(page) })}
            />
          </Stack>
        )}
      </Loaded>
    </Panel>
  );
}

type OneDayProps = {
  onDay: NonNullable<RunFilter['onDay']>;
  ofDay: WorkflowDay | undefined;
  onAll: () => void;
};

function OneDay({ onDay: { kind, day }, ofDay, onAll }: OneDayProps) {
  return (
    <Alert variant="outline" color="gray" p="sm">
      <Group justify="space-between" gap="xs">
        <Text size="sm" flex="1 1 240px">
          {kind === 'created_on' ? (
            `Runs created on ${longDay(day)} (UTC).`
          ) : (
            <>
              Runs with a billed job that completed on {longDay(day)} (UTC).{' '}
              {ofDay && (
                <>
                  Jobs of that day cost <Money amount={ofDay.cost} />.{' '}
                </>
              )}
              A run shows its whole cost, also of jobs that completed on other days.
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
