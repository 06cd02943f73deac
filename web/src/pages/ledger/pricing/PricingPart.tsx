import { Stack, Tabs } from '@mantine/core';
import { useSearchParams } from 'wouter';
import { Needs } from '../../../ui/Needs.tsx';
import { RightsNote, useWhyNot } from '../../../ui/rights.tsx';
import { TabsList } from '../../../ui/TabsList.tsx';
import { oneOf } from '../../../ui/useAddress.ts';
import { BookInUse } from './BookInUse.tsx';
import { BooksPanel } from './BooksPanel.tsx';
import { IncludedPanel } from './IncludedPanel.tsx';
import { KindsPanel } from './KindsPanel.tsx';
import { RepricePanel } from './RepricePanel.tsx';
import { RulesPanel } from './RulesPanel.tsx';
import { ScenarioPanel } from './ScenarioPanel.tsx';
import { ShadowPanel } from './ShadowPanel.tsx';
import { UnpricedPanel } from './UnpricedPanel.tsx';

const tabs = ['prices', 'rules', 'lists', 'included', 'reprice', 'scenarios'] as const;
const titles: Record<(typeof tabs)[number], string> = {
  prices: 'Prices',
  rules: 'Rules',
  lists: 'Price lists',
  included: 'Included minutes',
  reprice: 'Reprice',
  scenarios: 'What if',
};

/** The tab is in the address. Only the open tab loads its data. */
export function PricingPart() {
  const [params, setParams] = useSearchParams();
  const tab = oneOf(tabs, params.get('tab'), 'prices');
  const reason = useWhyNot()({ role: 'admin', scope: 'admin' });
  return (
    <Stack gap="md">
      <BookInUse />
      <Tabs
        value={tab}
        keepMounted={false}
        onChange={(next) => setParams(next === null || next === 'prices' ? {} : { tab: next })}
      >
        <TabsList open={tab} mb="md">
          {tabs.map((each) => (
            <Tabs.Tab key={each} value={each}>
              {titles[each]}
            </Tabs.Tab>
          ))}
        </TabsList>
        <Tabs.Panel value={tab}>
          <Stack gap="md">
            {tab !== 'reprice' && <RightsNote reason={reason} />}
            {tab === 'prices' && <KindsPanel reason={reason} />}
            {tab === 'rules' && (
              <>
                <RulesPanel reason={reason} />
                <UnpricedPanel reason={reason} />
              </>
            )}
            {tab === 'lists' && <BooksPanel reason={reason} />}
            {tab === 'included' && <IncludedPanel reason={reason} />}
            {tab === 'reprice' && (
              <Needs role="admin" scope="admin">
                <RepricePanel />
              </Needs>
            )}
            {tab === 'scenarios' && (
              <>
                <ScenarioPanel />
                <ShadowPanel reason={reason} />
              </>
            )}
          </Stack>
        </Tabs.Panel>
      </Tabs>
    </Stack>
  );
}
