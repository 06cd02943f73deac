import { useWhyNot } from '../../shown/rights.tsx';
import { Needs } from './Needs.tsx';
import { BooksPanel } from './pricing/BooksPanel.tsx';
import { IncludedPanel } from './pricing/IncludedPanel.tsx';
import { RepricePanel } from './pricing/RepricePanel.tsx';
import { RulesPanel } from './pricing/RulesPanel.tsx';
import { ScenarioPanel } from './pricing/ScenarioPanel.tsx';
import { ShadowPanel } from './pricing/ShadowPanel.tsx';
import { UnpricedPanel } from './pricing/UnpricedPanel.tsx';

/** What prices jobs, and what it does not know. */
export function PricingPart() {
  const reason = useWhyNot()({ role: 'admin', scope: 'admin' });
  return (
    <>
      <BooksPanel reason={reason} />
      <RulesPanel reason={reason} />
      <UnpricedPanel reason={reason} />
      <Needs role="admin" scope="admin" title="Pricing recorded jobs anew is not for you to see">
        <RepricePanel />
      </Needs>
      <ScenarioPanel />
      <IncludedPanel reason={reason} />
      <ShadowPanel reason={reason} />
    </>
  );
}
