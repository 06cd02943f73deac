import { Skeleton, Stack } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { Suspense, type ReactNode } from 'react';
import type { Costs } from '../../../analysis/queries.ts';
import { WrongQuestion } from '../../../analysis/WrongQuestion.tsx';
import { Budgets } from '../../../parts/alerts/Budgets.tsx';
import { ChangePanel } from '../../../parts/costs/ChangePanel.tsx';
import { CostPanel } from '../../../parts/costs/CostPanel.tsx';
import { type View } from '../../../parts/costs/costView.ts';
import { newBudgetAddress, watches, type Scope } from '../../../parts/costs/scope.ts';
import { NoCostsIn, ScopeBar } from '../../../parts/costs/ScopeBar.tsx';
import '../../../parts/costs/costView.css';
import { Summary } from '../../../parts/costs/Summary.tsx';
import { late } from '../../../ui/late.ts';
import { isWrong } from '../../../ui/Loaded.tsx';
import { Empty } from '../../../ui/Panel.tsx';

// Loaded separately, so that the first figures do not wait.
const Costliest = late(() => import('./Costliest.tsx'), 'Costliest');
const WorkflowList = late(() => import('../../../parts/workflows/WorkflowList.tsx'), 'WorkflowList');

type Props = {
  scope: Scope & { dimension: 'repository' | 'team' };
  view: View;
  costs: UseQueryResult<Costs>;
  aside?: ReactNode;
  /** Above the list of workflows. */
  children?: ReactNode;
};

/** The page of a repository or a team. It shows the same as the overview, for one thing. */
export function ScopePage({ scope, view, costs, aside, children }: Props) {
  const { question, today, onQuestion } = view;
  const path = location.pathname;
  const { data } = costs;
  const budgets = scope.value !== null && (
    <Budgets
      isShown={(alert) => watches(alert, scope)}
      newAddress={newBudgetAddress(scope)}
      what={scope.dimension}
    />
  );
  return (
    <>
      <ScopeBar view={view} settled={scope.dimension} />
      {isWrong(costs.error) ? (
        <WrongQuestion path={path} error={costs.error} retry={() => void costs.refetch()} />
      ) : data?.total.value === 0 && !data.total.previous_value ? (
        // The budget counts its own period, which can have costs.
        <Stack gap="md">
          <NoCostsIn scope={scope} question={question} />
          {budgets}
        </Stack>
      ) : (
        <Stack gap="md">
          <Summary view={view} costs={costs} />
          <CostPanel
            view={view}
            costs={costs}
            onDay={(day) => onQuestion({ ...question, range: { kind: 'dates', from: day, to: day } })}
          />
          <div className="overview-columns">
            <div>
              <ChangePanel view={view} />
            </div>
            <div>
              {budgets}
              {aside}
            </div>
          </div>
          <Suspense fallback={<Skeleton height={480} aria-busy="true" />}>
            {children}
            <WorkflowList
              question={question}
              today={today}
              path={path}
              title="Workflows"
              settled={scope.dimension}
              none={() => <Empty title="No matching workflows" />}
            />
            <Costliest view={view} isOfOne={scope.dimension === 'repository'} />
          </Suspense>
        </Stack>
      )}
    </>
  );
}
