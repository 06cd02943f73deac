import { Skeleton, Stack } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { Suspense, type ReactNode } from 'react';
import type { Costs } from '../../../analysis/queries.ts';
import { WrongQuestion } from '../../../analysis/WrongQuestion.tsx';
import { Budgets } from '../../../parts/alerts/Budgets.tsx';
import { ChangePanel } from '../../../parts/costs/ChangePanel.tsx';
import { CostPanel } from '../../../parts/costs/CostPanel.tsx';
import { measures, type View } from '../../../parts/costs/costView.ts';
import { newBudgetAddress, parametersWithin, watches, type Scope } from '../../../parts/costs/scope.ts';
import { ScopeBar } from '../../../parts/costs/ScopeBar.tsx';
import '../../../parts/costs/costView.css';
import { Summary } from '../../../parts/costs/Summary.tsx';
import { isWrong } from '../../../ui/Failed.tsx';
import { late } from '../../../ui/late.ts';

// Loaded separately, so that the first figures do not wait.
const NoCosts = late(() => import('../../../analysis/NoCosts.tsx'), 'NoCosts');
const Costliest = late(() => import('./Costliest.tsx'), 'Costliest');
export const WorkflowList = late(() => import('../../../parts/workflows/WorkflowList.tsx'), 'WorkflowList');

type Props = {
  scope: Scope;
  view: View;
  costs: UseQueryResult<Costs>;
  aside?: ReactNode;
  children: ReactNode;
};

/** The page of a repository or a team. It shows the same as the overview, for one thing. */
export function ScopePage({ scope, view, costs, aside, children }: Props) {
  const { question, today, onQuestion } = view;
  const path = location.pathname;
  const { data } = costs;
  return (
    <>
      <ScopeBar
        question={question}
        today={today}
        measures={measures}
        isGrouped={false}
        settled={scope.dimension}
        onChange={onQuestion}
      />
      {isWrong(costs.error) ? (
        <WrongQuestion path={path} error={costs.error} retry={() => void costs.refetch()} />
      ) : data?.total.value === 0 && !data.total.previous_value ? (
        <Suspense fallback={null}>
          <NoCosts
            path={path}
            question={{ ...question, filters: question.filters.slice(1) }}
            searchOf={(next) => `?${parametersWithin(next, scope, new URLSearchParams()).toString()}`}
          />
        </Suspense>
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
              {scope.value !== null && (
                <Budgets
                  isShown={(alert) => watches(alert, scope)}
                  newAddress={newBudgetAddress(scope)}
                  what={scope.dimension.replace('_', ' ')}
                />
              )}
              {aside}
            </div>
          </div>
          <Suspense fallback={<Skeleton height={480} aria-busy="true" />}>
            {children}
            <Costliest view={view} isOfOne={scope.dimension === 'repository'} />
          </Suspense>
        </Stack>
      )}
    </>
  );
}
