import { Anchor } from '@mantine/core';
import { Link, useParams } from 'wouter';
import { ApiError } from '../api/client.ts';
import { DaysChoice } from '../shown/DaysChoice.tsx';
import { Empty } from '../shown/Empty.tsx';
import { Figure, Figures } from '../shown/Figure.tsx';
import { count, duration, share } from '../shown/figures.ts';
import { Loaded } from '../shown/Loaded.tsx';
import { Money } from '../shown/Money.tsx';
import { PageTitle } from '../shown/PageTitle.tsx';
import { Trend } from '../shown/Trend.tsx';
import { useAddress } from '../shown/useAddress.ts';
import { When } from '../shown/When.tsx';
import { Charts } from './workflow/Charts.tsx';
import { useWorkflow, type Workflow } from './workflow/queries.ts';
import { daysKnown, runFilterIn } from './workflow/runFilter.ts';
import { RunnerKinds } from './workflow/RunnerKinds.tsx';
import { Runs } from './workflow/Runs.tsx';

export function Page() {
  const { id } = useParams<{ id: string }>();
  const [params, change] = useAddress();
  const filter = runFilterIn(params);
  const workflow = useWorkflow(id, Number(filter.days));
  if (workflow.error instanceof ApiError && workflow.error.status === 404)
    return (
      <>
        <PageTitle title="Workflow" />
        <Empty title="There is no such workflow">
          <Anchor component={Link} href="/workflows">
            To the workflows
          </Anchor>
        </Empty>
      </>
    );
  return (
    <>
      <PageTitle
        title={workflow.data?.workflow_name ?? 'Workflow'}
        about={<About workflow={workflow.data} days={filter.days} />}
      >
        <DaysChoice known={daysKnown} value={filter.days} onChange={(days) => change({ days })} />
      </PageTitle>
      <Loaded query={workflow} height={900}>
        {(loaded) => (
          <>
            <WorkflowFigures workflow={loaded} />
            <Charts workflow={loaded} />
            <RunnerKinds workflow={loaded} />
          </>
        )}
      </Loaded>
      <Runs workflowId={id} filter={filter} onChange={change} />
    </>
  );
}

function About({ workflow, days }: { workflow: Workflow | undefined; days: string }) {
  return (
    <>
      <Anchor component={Link} href={`/workflows?days=${days}`} inherit underline="always">
        ← Workflows
      </Anchor>
      {workflow && (
        <>
          {' · '}
          <span style={{ overflowWrap: 'anywhere' }}>{workflow.repo_name}</span> · last run{' '}
          <When at={workflow.last_run_at} />
        </>
      )}
    </>
  );
}

function WorkflowFigures({ workflow }: { workflow: Workflow }) {
  const { total_cost, total_runs, trend_percent, success_rate, avg_duration_seconds, period } = workflow;
  return (
    <Figures>
      <Figure
        label={`Cost of ${period.days} days`}
        value={<Money amount={total_cost} />}
        note={
          <>
            <Trend percent={trend_percent} /> than in the {period.days} days before
          </>
        }
      />
      <Figure
        label="Runs"
        value={count(total_runs)}
        note={
          total_runs > 0 && (
            <>
              <Money amount={total_cost / total_runs} /> per run
            </>
          )
        }
      />
      <Figure label="Average duration" value={duration(avg_duration_seconds)} note="of completed runs" />
      <Figure label="Success rate" value={share(success_rate)} note="of completed runs not skipped" />
    </Figures>
  );
}
