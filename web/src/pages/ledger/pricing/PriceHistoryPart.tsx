import { Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { booksQuery } from '../../../api/queries.ts';
import { Panel } from '../../../ui/Panel.tsx';
import { RightsNote, SmallButton, useWhyNot } from '../../../ui/rights.tsx';
import { BooksPanel } from './BooksPanel.tsx';
import { repricesQuery } from './queries.ts';
import { RepricePanel } from './RepricePanel.tsx';
import { ShadowPanel } from './ShadowPanel.tsx';
import { WhatIfPreview } from './WhatIfPreview.tsx';
import { feeInWords } from './words.ts';

export function PriceHistoryPart() {
  const reason = useWhyNot()({ role: 'admin', scope: 'admin' });
  const books = useQuery(booksQuery);
  const reprices = useQuery({ ...repricesQuery, enabled: reason === null });
  return (
    <Stack gap="md">
      <RightsNote reason={reason} />
      <BooksPanel reason={reason} />
      {/* They start to load at once, and show when the heights of both lists are known. */}
      <div hidden={books.isPending || reprices.isLoading}>
        <Stack gap="md">
          {reason === null && <RepricePanel />}
          <ScenarioPanel />
          <ShadowPanel reason={reason} />
        </Stack>
      </div>
    </Stack>
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
