import { Group, Select, Stack, Text } from '@mantine/core';
import { countOf, longDay } from '../../shown/figures.ts';
import { Loaded } from '../../shown/Loaded.tsx';
import { Pager } from '../../shown/Pager.tsx';
import { Panel } from '../../shown/Panel.tsx';
import { SearchField } from '../../shown/SearchField.tsx';
import { useRuns } from './queries.ts';
import { runsAsked, stateNames, type RunFilter } from './runFilter.ts';
import { RunsTable } from './RunsTable.tsx';

type Props = {
  workflowId: string;
  filter: RunFilter;
  onChange: (changes: Record<string, string | null>, options?: { replace?: boolean }) => void;
};

/** The workflow's runs, newest first. */
export function Runs({ workflowId, filter, onChange }: Props) {
  const runs = useRuns(runsAsked(workflowId, filter));
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
        <Select
          label="Status"
          placeholder="Any"
          value={filter.state}
          onChange={(state) => onChange({ state })}
          data={stateNames.map((state) => ({ value: state, label: state.replaceAll('_', ' ') }))}
          clearable
          clearButtonProps={{ 'aria-label': 'Clear status' }}
        />
      </Group>
      <Loaded query={runs} height={480}>
        {({ data, pagination, period }) => (
          <Stack gap="sm">
            {data.length > 0 ? (
              <RunsTable runs={data} />
            ) : (
              <Text size="sm" c="dimmed">
                No run since {longDay(period.start)} fits.
              </Text>
            )}
            {period.days < Number(filter.days) && (
              <Text size="sm" c="dimmed">
                Only the latest {countOf(period.days, 'day')} were looked through.
              </Text>
            )}
            <Pager
              pagination={pagination}
              of="runs"
              onPage={(page) => onChange({ page: page === 1 ? null : String(page) })}
            />
          </Stack>
        )}
      </Loaded>
    </Panel>
  );
}
