import { Stack, Tabs, Badge, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'wouter';
import { pricingQuery } from '../../../api/queries.ts';
import { longDay, timeText } from '../../../ui/figures.ts';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Needs } from '../../../ui/Needs.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { RightsNote, SmallButton, useWhyNot } from '../../../ui/rights.tsx';
import { TabsList } from '../../../ui/TabsList.tsx';
import { LongText, RowLink } from '../../../ui/text.tsx';
import { oneOf } from '../../../ui/useAddress.ts';
import { BooksPanel } from './BooksPanel.tsx';
import { HostedRunnersPanel } from './HostedRunnersPanel.tsx';
import { IncludedPanel } from './IncludedPanel.tsx';
import { KindsPanel } from './KindsPanel.tsx';
import { PoolsPanel } from './PoolsPanel.tsx';
import { PublishedTermsPanel } from './PublishedTermsPanel.tsx';
import { RateHintsPanel } from './RateHintsPanel.tsx';
import { RepricePanel } from './RepricePanel.tsx';
import { RulesPanel } from './RulesPanel.tsx';
import { ShadowPanel } from './ShadowPanel.tsx';
import { UnpricedPanel } from './UnpricedPanel.tsx';
import { WhatIfPreview } from './WhatIfPreview.tsx';
import { feeInWords } from './words.ts';

const tabs = ['prices', 'rules', 'lists', 'included', 'pools', 'reprice', 'scenarios'] as const;
const titles: Record<(typeof tabs)[number], string> = {
  prices: 'Prices',
  rules: 'Rules',
  lists: 'Price lists',
  included: 'Included minutes',
  pools: 'Own runners',
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
                <HostedRunnersPanel reason={reason} />
                <RateHintsPanel reason={reason} />
              </>
            )}
            {tab === 'lists' && <BooksPanel reason={reason} />}
            {tab === 'included' && (
              <>
                <IncludedPanel reason={reason} />
                <PublishedTermsPanel />
              </>
            )}
            {tab === 'pools' && <PoolsPanel reason={reason} />}
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

function BookInUse() {
  const pricing = useQuery(pricingQuery);
  const today = new Date().toISOString().slice(0, 10);
  return (
    <Loaded query={pricing} height={24}>
      {({ book }) => (
        <Group gap="xs" mih={24}>
          <LongText>
            Price list in use:{' '}
            <b
              {...(book.chosen_at !== null && {
                'data-hint': `Chosen on ${timeText(new Date(book.chosen_at))}`,
              })}
            >
              {book.name}
            </b>
          </LongText>
          {book.last_day !== null && (
            <Badge variant="default" tt="none">
              {book.last_day < today ? 'ended' : 'ends'} {longDay(book.last_day)}
            </Badge>
          )}
          <RowLink href="/settings/pricing?tab=lists">Change</RowLink>
        </Group>
      )}
    </Loaded>
  );
}

/** Loads on demand, because it reprices every job. */
function ScenarioPanel() {
  const [isShown, { open }] = useDisclosure();
  return (
    <Panel title="What if GitHub charged for self-hosted runners?">
      <Text size="sm">{feeInWords}</Text>
      {isShown ? (
        <WhatIfPreview proposal={{ scenario: 'self_hosted_fee' }} />
      ) : (
        <div>
          <SmallButton onClick={open}>Show the cost</SmallButton>
        </div>
      )}
    </Panel>
  );
}
