import { Anchor, Box } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { Link, useParams } from 'wouter';
import { DaysChoice } from '../../../ui/DaysChoice.tsx';
import { isNotFound } from '../../../ui/Failed.tsx';
import { Figure, Figures } from '../../../ui/Figure.tsx';
import { FigureLink, MoneyLink } from '../../../ui/FigureLink.tsx';
import { count, duration, share } from '../../../ui/figures.ts';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Money } from '../../../ui/Money.tsx';
import { NotFound } from '../../../ui/NotFound.tsx';
import { PageTitle } from '../../../ui/PageTitle.tsx';
import { Trend } from '../../../ui/Trend.tsx';
import { dayIn, useAddress, useDropped } from '../../../ui/useAddress.ts';
import { useVisit } from '../../../ui/visits.ts';
import { When } from '../../../ui/When.tsx';
import { Charts } from './Charts.tsx';
import { useWorkflow, type Workflow } from './queries.ts';
import { dayKinds, daysChange, daysKnown, runFilterIn } from './runFilter.ts';
import { RunnerKinds } from './RunnerKinds.tsx';
import { Runs } from './Runs.tsx';

export function Page() {
  const { id } = useParams<{ id: string }>();
  const [params, change] = useAddress();
  const filter = runFilterIn(params);
  const workflow = useWorkflow(id, Number(filter.days));
  const unknownDays = dayKinds.filter((kind) => params.has(kind) && dayIn(params, kind) === null);
  useDropped(unknownDays, unknownDays.length > 0);
  const runs = useRef<HTMLDivElement>(null);
  const onDay = filter.onDay && `${filter.onDay.kind} ${filter.onDay.day}`;
  const isReady = workflow.data !== undefined;
  // Scroll to the runs of the day, which are below.
  useEffect(() => {
    if (onDay && isReady) runs.current?.scrollIntoView({ block: 'start' });
  }, [onDay, isReady]);
  useVisit('workflow', workflow.data && `${workflow.data.workflow_name} in ${workflow.data.repo_name}`);
  if (isNotFound(workflow.error)) return <NotFound what="workflow" href="/workflows" list="workflows" />;
  return (
    <>
      <PageTitle
        title={workflow.data?.workflow_name ?? 'Workflow'}
        about={<About workflow={workflow.data} days={filter.days} />}
      >
        <DaysChoice
          known={daysKnown}
          value={filter.days}
          onChange={(days) => change({ days, ...daysChange('completed_on', null) })}
        />
      </PageTitle>
      <Loaded query={workflow} height={900}>
        {(loaded) => (
          <>
            <WorkflowFigures
              workflow={loaded}
              onFailures={() => {
                change({ state: 'failure' });
                runs.current?.scrollIntoView({ block: 'start' });
              }}
            />
            <Charts workflow={loaded} onDay={(kind, day) => change(daysChange(kind, day))} />
            <RunnerKinds workflow={loaded} />
          </>
        )}
      </Loaded>
      <Box id="runs" ref={runs} tabIndex={-1} style={{ scrollMarginTop: 72 }}>
        <Runs workflowId={id} filter={filter} daily={workflow.data?.daily ?? []} onChange={change} />
      </Box>
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

function WorkflowFigures({ workflow, onFailures }: { workflow: Workflow; onFailures: () => void }) {
  const { total_cost, total_runs, trend_percent, previous_cost, success_rate, avg_duration_seconds, period } =
    workflow;
  return (
    <Figures>
      <Figure
        label={`Cost, last ${period.days} days`}
        value={<MoneyLink amount={total_cost} href="#runs" to="runs" />}
        note={
          // The API says 100% for a rise from nothing, which is no percentage.
          previous_cost === 0 && total_cost > 0 ? (
            `No cost in the previous ${period.days} days`
          ) : (
            <>
              <Trend percent={trend_percent} isCost /> vs previous {period.days} days
            </>
          )
        }
      />
      <Figure
        label="Runs"
        value={<FigureLink value={count(total_runs)} href="#runs" to="runs" />}
        note={
          total_runs > 0 && (
            <>
              <Money amount={total_cost / total_runs} /> per run
            </>
          )
        }
      />
      <Figure
        label="Average duration"
        value={<FigureLink value={duration(avg_duration_seconds)} href="#runs" to="runs" />}
        note="of completed runs"
      />
      <Figure
        label="Success rate"
        value={share(success_rate)}
        note={
          <>
            of completed runs, without skipped ones.{' '}
            <Anchor component="button" type="button" inherit underline="always" onClick={onFailures}>
              Show failures
            </Anchor>
          </>
        }
      />
    </Figures>
  );
}
