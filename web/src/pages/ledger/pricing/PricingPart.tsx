import { Needs } from '../../../ui/Needs.tsx';
import { useWhyNot } from '../../../ui/rights.tsx';
import { BooksPanel } from './BooksPanel.tsx';
import { IncludedPanel } from './IncludedPanel.tsx';
import { RepricePanel } from './RepricePanel.tsx';
import { RulesPanel } from './RulesPanel.tsx';
import { ScenarioPanel } from './ScenarioPanel.tsx';
import { ShadowPanel } from './ShadowPanel.tsx';
import { UnpricedPanel } from './UnpricedPanel.tsx';

export function PricingPart() {
  const reason = useWhyNot()({ role: 'admin', scope: 'admin' });
  return (
    <>
      <BooksPanel reason={reason} />
      <RulesPanel reason={reason} />
      <UnpricedPanel reason={reason} />
      <Needs role="admin" scope="admin" title="Reprice past jobs: no access">
        <RepricePanel />
      </Needs>
      <ScenarioPanel />
      <IncludedPanel reason={reason} />
      <ShadowPanel reason={reason} />
    </>
  );
}
