import { Anchor, Box, Stack } from '@mantine/core';
import { Link } from 'wouter';
import { DaysChoice } from '../../../ui/DaysChoice.tsx';
import { Empty } from '../../../ui/Empty.tsx';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Pager } from '../../../ui/Pager.tsx';
import { PageTitle } from '../../../ui/PageTitle.tsx';
import { useAddress } from '../../../ui/useAddress.ts';
import { useFollowing } from '../../../ui/useFollowing.ts';
import { useRecentRuns } from '../overview/queries.ts';
import { askedBy, daysKnown, filterIn, sortedBy, sumsAskedBy } from './filter.ts';
import { Filters } from './Filters.tsx';
import {
  minSecondsBetweenSums,
  runSums,
  useMostExpensive,
  useRepositories,
  useWorkflows,
  useWorkflowsSummary,
} from './queries.ts';
import { WorkflowsTable } from './WorkflowsTable.tsx';

export function Page() {
  const [params, change] = useAddress();
  const filter = filterIn(params);
  const days = Number(filter.days);
  const workflows = useWorkflows(askedBy(filter));
  const sums = useWorkflowsSummary(sumsAskedBy(filter));
  const repositories = useRepositories(days);
  const mostExpensive = useMostExpensive(days);
  const summary = useWorkflowsSummary({ days }).data;
  useFollowing(useRecentRuns().data, runSums, minSecondsBetweenSums);
  return (
    <>
      <PageTitle
        title="Workflows"
        about={
          summary?.most_expensive_workflow && summary.most_active_repo
            ? `Most expensive: ${mostExpensive ?? summary.most_expensive_workflow} · most active repository: ${summary.most_active_repo}`
            : 'The cost of each workflow'
        }
      >
        <DaysChoice known={daysKnown} value={filter.days} onChange={(value) => change({ days: value })} />
      </PageTitle>
      <Filters filter={filter} repositories={repositories} onChange={change} />
      <Loaded query={workflows} height={560}>
        {({ workflows: listed, pagination }) => (
          <Stack gap="sm" aria-busy={workflows.isPlaceholderData}>
            <Box mih={listed.length > 0 ? undefined : 240}>
              {listed.length > 0 ? (
                <WorkflowsTable
                  workflows={listed}
                  totals={sums.data}
                  filter={filter}
                  onSort={(column) => change(sortedBy(column, filter))}
                  onRepository={(repo) => change({ repo })}
                />
              ) : (
                <NoWorkflows
                  isNarrowed={filter.isNarrowed}
                  isPastEnd={pagination.total > 0}
                  days={filter.days}
                />
              )}
            </Box>
            <Pager
              pagination={pagination}
              one="workflow"
              onPage={(page) => change({ page: page === 1 ? null : String(page) })}
            />
          </Stack>
        )}
      </Loaded>
    </>
  );
}

type NoneProps = { isNarrowed: boolean; isPastEnd: boolean; days: string };

function NoWorkflows({ isNarrowed, isPastEnd, days }: NoneProps) {
  if (isPastEnd) return <Empty title="Nothing on this page" />;
  if (isNarrowed)
    return (
      <Empty title="No matching workflows">
        <Anchor component={Link} href={`/workflows?days=${days}`} underline="always">
          Clear filters
        </Anchor>
      </Empty>
    );
  return (
    <Empty title={`No runs in the last ${days} days`}>
      Choose a longer period, or{' '}
      <Anchor component={Link} href="/sources" underline="always">
        connect your CI
      </Anchor>
      .
    </Empty>
  );
}
