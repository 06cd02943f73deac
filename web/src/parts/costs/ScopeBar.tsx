import { Suspense, type ComponentProps } from 'react';
import { PartAlive } from '../../ui/earlyClick.ts';
import { late } from '../../ui/late.ts';
import { PartBoundary } from '../../ui/PartBoundary.tsx';

const AnalysisBar = late(() => import('../../analysis/AnalysisBar.tsx'), 'AnalysisBar');

/** The bar of a page whose scope is its first filter. It loads after the first figures, in a reserved place. */
export function ScopeBar(props: ComponentProps<typeof AnalysisBar>) {
  return (
    <div className={props.question.filters.length > 1 ? 'overview-bar has-filters' : 'overview-bar'}>
      <PartBoundary name="The filters">
        <Suspense fallback={null}>
          <AnalysisBar {...props} />
          <PartAlive />
        </Suspense>
      </PartBoundary>
    </div>
  );
}
