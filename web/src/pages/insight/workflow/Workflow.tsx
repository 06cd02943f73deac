import { Box, Skeleton, Stack, Tabs } from '@mantine/core';
import { Suspense, useEffect, useRef, type ReactNode } from 'react';
import { useParams } from 'wouter';
import { useCosts, type Costs as CostsAnswer } from '../../../analysis/queries.ts';
import { isOfJobs, queryOf } from '../../../analysis/question.ts';
import { datesOf, datesTitle } from '../../../analysis/ranges.ts';
import { WrongQuestion } from '../../../analysis/WrongQuestion.tsx';
import { Budgets } from '../../../parts/alerts/Budgets.tsx';
import { ChangePanel } from '../../../parts/costs/ChangePanel.tsx';
import { CostPanel } from '../../../parts/costs/CostPanel.tsx';
import { ExploreLink } from '../../../parts/costs/ExploreLink.tsx';
import { newBudgetAddress, watches, type Scope } from '../../../parts/costs/scope.ts';
import { NoCostsIn, ScopeBar } from '../../../parts/costs/ScopeBar.tsx';
import { useScope } from '../../../parts/costs/useScope.ts';
import { Fixes } from '../../../parts/waste/Fixes.tsx';
import { Moves } from '../../../parts/waste/Moves.tsx';
import { useMediaQuery } from '../../../ui/browserState.ts';
import { late } from '../../../ui/late.ts';
import { isNotFound, isWrong, Loading } from '../../../ui/Loaded.tsx';
import { NotFound } from '../../../ui/Lost.tsx';
import '../../../parts/costs/costView.css';
import { PageTitle } from '../../../ui/Panel.tsx';
import { TextLink, When } from '../../../ui/text.tsx';
import { dayIn, oneOf, repositoryAddress, useAddress, useDropped } from '../../../ui/useAddress.ts';
import { useVisit } from '../../../ui/visits.ts';
import '../../../parts/workflows/workflows.css';
import { chartHeight, Charts } from './Charts.tsx';
import { WorkflowFigures } from './Figures.tsx';
import { withWholeMatrices } from './matrices.ts';
import { daysOf } from './measures.ts';
import { Parts } from './Parts.tsx';
import { useDurations, useWorkflow, type Durations } from './queries.ts';
import { dayKinds, daysChange, runFilterIn, type DayKind } from './runFilter.ts';

const Runs = late(() => import('./Runs.tsx'), 'Runs');

const TryChange = late(() => import('./TryChange.tsx'), 'TryChange');

const tabs = ['parts', 'times', 'runners'] as const;

export function Page() {
  const { id } = useParams<{ id: string }>();
  const [params, change] = useAddress();
  const filter = runFilterIn(params);
  const scope: Scope = { dimension: 'workflow', value: id };
  const { view, costs, search } = useScope(scope, 'job');
  const { question, today, searchOf } = view;
  const workflow = useWorkflow(id);
  const unknownDays = dayKinds.filter((kind) => params.has(kind) && dayIn(params, kind) === null);
  useDropped(unknownDays, unknownDays.length > 0);
  const runsHeight = useMediaQuery('(width < 48em)') ? 727 : 413;
  const runs = useRef<HTMLDivElement>(null);
  const onDay = filter.onDay && `${filter.onDay.kind} ${filter.onDay.day}`;
  const isReady = costs.data !== undefined;
  useEffect(() => {
    if (onDay && isReady) runs.current?.scrollIntoView({ block: 'start' });
  }, [onDay, isReady]);
  useVisit('workflow', workflow.data && `${workflow.data.workflow_name} in ${workflow.data.repo_name}`);
  if (isNotFound(workflow.error)) return <NotFound what="workflow" href="/workflows" list="workflows" />;
  const showDay = (kind: DayKind, day: string) => change(daysChange(kind, day));
  return (
    <>
      <PageTitle
        title={workflow.data ? titleOf(workflow.data) : 'Workflow'}
        back={{ href: `/workflows${search}`, label: 'Workflows' }}
        about={
          // On phones it takes two lines, also while it loads.
          <Box mih={{ base: 44, sm: 22 }} display="flow-root">
            {workflow.data ? (
              <About
                workflow={workflow.data}
                dates={datesTitle(datesOf(question.range, today))}
                search={search}
              />
            ) : (
              <Skeleton height={12} width={320} maw="100%" my={5} />
            )}
          </Box>
        }
      >
        <ExploreLink href={`/explore${searchOf(question)}`} />
      </PageTitle>
      <ScopeBar view={view} settled="workflow" />
      {isWrong(costs.error) ? (
        <WrongQuestion path={`/workflows/${id}`} error={costs.error} retry={() => void costs.refetch()} />
      ) : (
        <Stack gap="md">
          <Costs
            scope={scope}
            view={view}
            costs={costs}
            showDay={showDay}
            onFailures={() => {
              change({ state: 'failure' });
              runs.current?.scrollIntoView({ block: 'start' });
            }}
          >
            {!isOfJobs(question) && (
              <Box id="runs" ref={runs} tabIndex={-1} style={{ scrollMarginTop: 72 }}>
                <Suspense fallback={<Loading height={runsHeight + 84} />}>
                  <Runs
                    workflowId={id}
                    question={question}
                    today={today}
                    filter={filter}
                    height={runsHeight}
                    costs={costs.data}
                    onChange={change}
                  />
                </Suspense>
              </Box>
            )}
          </Costs>
          {workflow.data && (
            <Suspense fallback={<Loading height={120} />}>
              <TryChange path={workflow.data.workflow_path} repository={workflow.data.repo_name} />
            </Suspense>
          )}
        </Stack>
      )}
    </>
  );
}

/** Includes the repository, because several repositories have a workflow named CI. */
function titleOf({ workflow_name: name, repo_name: repository }: AboutProps['workflow']): string {
  return `${name} · ${repository.replace(/^.*\//, '')}`;
}

type AboutProps = {
  workflow: NonNullable<ReturnType<typeof useWorkflow>['data']>;
  dates: string;
  search: string;
};

function About({ workflow, dates, search }: AboutProps) {
  return (
    <>
      {dates}, UTC ·{' '}
      <TextLink
        href={repositoryAddress(workflow.repo_name) + search}
        inherit
        underline="always"
        className="unbroken"
      >
        {workflow.repo_name}
      </TextLink>
      <span className="mantine-visible-from-sm">
        {' '}
        · last run <When at={workflow.last_run_at} />
      </span>
    </>
  );
}

type CostsProps = Pick<ReturnType<typeof useScope>, 'view' | 'costs'> & {
  scope: Scope;
  showDay: (kind: DayKind, day: string) => void;
  onFailures: () => void;
  /** The runs, which also come without costs. */
  children: ReactNode;
};

function Costs({ scope, view, costs, showDay, onFailures, children }: CostsProps) {
  const { question, today } = view;
  const things = isOfJobs(question) ? 'jobs' : 'runs';
  const counts = useCosts(
    queryOf({ ...question, metric: things, groupBy: ['conclusion'] }, today, { granularity: 'day' }),
  );
  const times = useDurations(question, today, { of: things, group_by: 'day' });
  const merged = costs.data ? { ...costs, data: withWholeMatrices(costs.data) } : costs;
  const isEmpty =
    costs.data?.total.value === 0 && !costs.data.total.previous_value && counts.data?.total.value === 0;
  if (isEmpty)
    return (
      <>
        <NoCostsIn scope={scope} question={question} />
        {children}
      </>
    );
  return (
    <>
      <WorkflowFigures costs={costs} counts={counts} times={times} onFailures={onFailures} />
      <CostPanel view={view} costs={merged} onDay={(day) => showDay('completed_on', day)} />
      <div className="overview-columns">
        <div>
          <ChangePanel view={view} by="job" />
        </div>
        <div>
          <Budgets
            isShown={(alert) => watches(alert, scope)}
            newAddress={newBudgetAddress(scope)}
            what="workflow"
          />
          <Fixes of={{ workflow_id: scope.value! }} isReady={costs.data !== undefined} />
        </div>
      </div>
      {children}
      <Details id={scope.value!} view={view} showDay={showDay} counts={counts.data} times={times.data} />
    </>
  );
}

type DetailsProps = Pick<CostsProps, 'view' | 'showDay'> & {
  id: string;
  counts: CostsAnswer | undefined;
  times: Durations | undefined;
};

function Details({ id, view, showDay, counts, times }: DetailsProps) {
  const [params, change] = useAddress();
  const isJobs = isOfJobs(view.question);
  return (
    <Tabs
      value={oneOf(tabs, params.get('tab'), 'parts')}
      keepMounted={false}
      onChange={(next) => change({ tab: next === 'parts' ? null : next }, { replace: true })}
    >
      <Tabs.List mb="md">
        <Tabs.Tab value="parts">Cost breakdown</Tabs.Tab>
        <Tabs.Tab value="times">Duration and success</Tabs.Tab>
        <Tabs.Tab value="runners">Other runners</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="parts">
        <Parts view={view} />
      </Tabs.Panel>
      <Tabs.Panel value="times">
        {counts && times ? (
          <Charts
            days={daysOf(counts, times)}
            things={isJobs ? 'Jobs' : 'Runs'}
            onDay={(day) => showDay(isJobs ? 'completed_on' : 'created_on', day)}
          />
        ) : (
          <Skeleton height={2 * chartHeight + 200} aria-busy="true" />
        )}
      </Tabs.Panel>
      <Tabs.Panel value="runners">
        <Moves of={{ workflow_id: id }} />
      </Tabs.Panel>
    </Tabs>
  );
}
