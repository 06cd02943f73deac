import { Badge, Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Suspense, type ReactNode } from 'react';
import { AnalysisBar } from '../../../analysis/AnalysisBar.tsx';
import { NoCosts } from '../../../analysis/NoCosts.tsx';
import { useCosts, useQuestion } from '../../../analysis/queries.ts';
import { queryOf } from '../../../analysis/question.ts';
import { datesOf, datesTitle } from '../../../analysis/ranges.ts';
import { ShareMenu } from '../../../analysis/ShareMenu.tsx';
import { WrongQuestion } from '../../../analysis/WrongQuestion.tsx';
import { isBudget, standingOf } from '../../../parts/alerts/budgets.ts';
import { Budgets } from '../../../parts/alerts/Budgets.tsx';
import { useAlerts, useMeasurements } from '../../../parts/alerts/queries.ts';
import { ChangePanel } from '../../../parts/costs/ChangePanel.tsx';
import { CostPanel } from '../../../parts/costs/CostPanel.tsx';
import { measures, overviewOf, type View } from '../../../parts/costs/costView.ts';
import { useRecentRuns } from '../../../parts/costs/queries.ts';
import { CostPerRun, Minutes, Summary } from '../../../parts/costs/Summary.tsx';
import { demoQuery } from '../../../parts/demo/queries.ts';
import { useRefreshAtTheEnd } from '../../../parts/pricing/useRefreshAtTheEnd.ts';
import { isServer } from '../../../ui/browserState.ts';
import { late } from '../../../ui/late.ts';
import { isWrong } from '../../../ui/Loaded.tsx';
import { PageTitle } from '../../../ui/Panel.tsx';
import { PartBoundary } from '../../../ui/PartBoundary.tsx';
import { useWhyNot } from '../../../ui/rights.tsx';
import { isMoving } from '../../../ui/task.ts';
import { TextLink } from '../../../ui/text.tsx';
import { useAddress } from '../../../ui/useAddress.ts';
import { useFollowing } from '../../../ui/useFollowing.ts';
import { ActorKinds } from './ActorKinds.tsx';
import { EndedPriceList } from './EndedPriceList.tsx';
import { IncludedFigure } from './IncludedFigure.tsx';
import { MonthEnd } from './MonthEnd.tsx';
import { OpenAlerts } from './OpenAlerts.tsx';
import { OtherProducts } from './OtherProducts.tsx';
import '../../../parts/costs/costView.css';
import './overview.css';
import { QualityLine } from './QualityLine.tsx';
import { minSecondsBetweenSums, runSums, useDataQuality } from './queries.ts';
import { RecentRuns } from './RecentRuns.tsx';
import { SavingFigure } from './SavingFigure.tsx';
import { TopWorkflows } from './TopWorkflows.tsx';

const Dialogs = late(() => import('./Dialogs.tsx'), 'Dialogs');
const FirstSteps = late(() => import('./FirstSteps.tsx'), 'FirstSteps');

export function Page() {
  const runs = useRecentRuns();
  const isEmpty = runs.data?.length === 0;
  const quality = useDataQuality({ enabled: isEmpty });
  useFollowing(runs.data, runSums, minSecondsBetweenSums);
  const isFilling = useIsFilling(runs.data);
  const mayBeEmpty = isFilling || (isEmpty && !quality.error && !quality.data?.last_event_at);
  if (!mayBeEmpty) return <Costs />;
  return (
    <>
      <PageTitle title="Overview" about="What CI costs, as soon as it reports its first run." />
      {quality.isPending ? (
        stepsWait
      ) : (
        <PartBoundary name="The first steps">
          <Suspense fallback={stepsWait}>
            <FirstSteps waiting={stepsWait} />
          </Suspense>
        </PartBoundary>
      )}
    </>
  );
}

/** Whether the demo is being loaded: oldest runs first, so only a page without new runs asks. */
function useIsFilling(runs: readonly { created_at: string }[] | undefined): boolean {
  const mayAsk = useWhyNot()({ role: 'admin', scope: 'admin' }) === null;
  const newest = runs?.[0]?.created_at ?? '';
  const isOld = runs !== undefined && newest < new Date(Date.now() - 86_400_000).toISOString();
  const { data: load } = useQuery({
    ...demoQuery,
    enabled: ({ state }) => mayAsk && (isOld || (!!state.data && isMoving(state.data))),
  });
  useRefreshAtTheEnd(load === undefined ? undefined : load ? [load] : []);
  return !!load && isMoving(load);
}

/** Placeholder in the shape of the first steps, which appear all at once. */
const stepsWait = (
  <div className="overview-columns" aria-busy="true">
    <Skeleton height={420} radius="lg" />
    <Skeleton height={160} radius="lg" />
  </div>
);

/** Rows of recent runs, with and without budgets beside them. */
const [fewRuns, manyRuns] = [6, 10];

function Costs() {
  const { question: asked, change, searchOf } = useQuestion();
  const [params] = useAddress();
  const question = overviewOf(asked);
  const today = new Date().toISOString().slice(0, 10);
  const costs = useCosts(queryOf(question, today));
  const view = { question, today, searchOf, onQuestion: change };
  const hasCosts = !costs.data || costs.data.total.value > 0 || !!costs.data.total.previous_value;
  const hasFigures = hasCosts && !isWrong(costs.error);
  const runs = (maxRows: number) => (
    <PartBoundary name="The recent runs">
      <RecentRuns isFiltered={question.filters.length > 0} maxRows={maxRows} />
    </PartBoundary>
  );
  return (
    <>
      <PageTitle
        title="Overview"
        badge={<OverBudget />}
        about={
          <>
            {datesTitle(datesOf(question.range, today))}, UTC
            <div className="quality-line">
              <PartBoundary name="The data quality">
                <QualityLine />
              </PartBoundary>
            </div>
          </>
        }
      >
        <div className="overview-actions">
          <PartBoundary name="The sharing menu">
            <ShareMenu page="overview" question={question} today={today} />
          </PartBoundary>
        </div>
      </PageTitle>
      <div className={question.filters.length > 0 ? 'overview-bar has-filters' : 'overview-bar'}>
        <PartBoundary name="The filters">
          <AnalysisBar
            question={question}
            today={today}
            measures={measures}
            isGrouped={false}
            onChange={change}
          />
        </PartBoundary>
      </div>
      <Stack gap="md">
        {isWrong(costs.error) ? (
          <WrongQuestion path="/" error={costs.error} retry={() => void costs.refetch()} />
        ) : !hasCosts ? (
          <PartBoundary name="The reason why there are no costs">
            <NoCosts path="/" question={question} searchOf={searchOf} />
          </PartBoundary>
        ) : (
          <Figures view={view} costs={costs} />
        )}
        {hasFigures ? <Columns view={view} costs={costs} runs={runs} /> : runs(manyRuns)}
      </Stack>
      {!isServer && (params.has('day') || params.has('flag')) && (
        <PartBoundary name="The dialog">
          <Suspense fallback={null}>
            <Dialogs view={view} />
          </Suspense>
        </PartBoundary>
      )}
    </>
  );
}

/** Links to budgets that are over their limit, because the budgets panel is below the first screen. */
function OverBudget() {
  const measured = useMeasurements().data;
  const over = (useAlerts().data ?? []).filter(
    (alert) => isBudget(alert) && standingOf(alert, measured?.get(alert.id)) === 'over',
  );
  const [first, ...others] = over;
  if (!first) return null;
  return (
    <TextLink href={others.length === 0 ? `/alerts/${first.id}` : '/alerts'} underline="never">
      <Badge variant="dot" color="red" tt="none" fw={600} style={{ cursor: 'pointer' }}>
        {others.length === 0 ? 'Over budget' : `${over.length} budgets over`}
      </Badge>
    </TextLink>
  );
}

type FiguresProps = { view: View; costs: ReturnType<typeof useCosts> };

function Figures({ view, costs }: FiguresProps) {
  const [, change] = useAddress();
  const { filters, metric } = view.question;
  const perRun = <CostPerRun view={view} costs={costs} />;
  return (
    <>
      <Summary view={view} costs={costs}>
        {/* Forecast, budgets, allowances and savings are of all costs. */}
        {filters.length === 0 && (
          <>
            {metric === 'cost' ? <MonthEnd /> : <Minutes view={view} />}
            <IncludedFigure otherwise={perRun} />
            <SavingFigure isReady={!costs.isPending} />
          </>
        )}
      </Summary>
      <CostPanel view={view} costs={costs} onDay={(day) => change({ day })} />
    </>
  );
}

function Columns({ view, runs }: FiguresProps & { runs: (maxRows: number) => ReactNode }) {
  const budgets = useAlerts().data?.filter(isBudget).length ?? 0;
  return (
    <>
      <div className="overview-columns">
        <div>
          <ChangePanel view={view} />
          <PartBoundary name="The list of workflows">
            <TopWorkflows view={view} />
          </PartBoundary>
          <PartBoundary name="The kinds of actors">
            <ActorKinds view={view} />
          </PartBoundary>
        </div>
        <div>
          <EndedPriceList />
          <Budgets>
            <OpenAlerts />
          </Budgets>
          {runs(Math.max(fewRuns, manyRuns - 2 * Math.max(0, budgets - 1)))}
        </div>
      </div>
      <PartBoundary name="The other products">
        <OtherProducts today={view.today} />
      </PartBoundary>
    </>
  );
}
