import { Skeleton } from '@mantine/core';
import { Suspense } from 'react';
import type { Question } from '../../analysis/question.ts';
import { late } from '../../ui/late.ts';
import { PartBoundary } from '../../ui/PartBoundary.tsx';
import { measures, type View } from './costView.ts';
import { parametersWithin, type Scope } from './scope.ts';

const AnalysisBar = late(() => import('../../analysis/AnalysisBar.tsx'), 'AnalysisBar');

type BarProps = { view: View; settled: Scope['dimension'] };

/** The bar of a page whose scope is its first filter. It loads after the first figures, in a reserved place. */
export function ScopeBar({ view: { question, today, onQuestion }, settled }: BarProps) {
  return (
    <div className={question.filters.length > 1 ? 'overview-bar has-filters' : 'overview-bar'}>
      <PartBoundary name="The filters">
        <Suspense fallback={null}>
          <AnalysisBar
            question={question}
            today={today}
            measures={measures}
            isGrouped={false}
            settled={settled}
            onChange={onQuestion}
          />
        </Suspense>
      </PartBoundary>
    </div>
  );
}

const NoCosts = late(() => import('../../analysis/NoCosts.tsx'), 'NoCosts');

/** As tall as it is then, so that what is below does not move. */
const emptyHeight = 114;

/** In place of the figures. Its links keep to the scope, which is the first filter. */
export function NoCostsIn({ scope, question }: { scope: Scope; question: Question }) {
  return (
    <Suspense fallback={<Skeleton height={emptyHeight} aria-busy="true" />}>
      <NoCosts
        path={location.pathname}
        question={{ ...question, filters: question.filters.slice(1) }}
        searchOf={(next) => `?${parametersWithin(next, scope, new URLSearchParams()).toString()}`}
        {...(scope.dimension === 'team' && {
          otherwise: { href: '/settings/owners', label: 'check its rules' },
        })}
      />
    </Suspense>
  );
}
