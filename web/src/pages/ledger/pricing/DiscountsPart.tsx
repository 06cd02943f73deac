import { Stack } from '@mantine/core';
import { RightsNote, useWhyNot } from '../../../ui/rights.tsx';
import { IncludedPanel } from './IncludedPanel.tsx';
import { PublishedTermsPanel } from './PublishedTermsPanel.tsx';

export function DiscountsPart() {
  const reason = useWhyNot()({ role: 'admin', scope: 'admin' });
  return (
    <Stack gap="md">
      <RightsNote reason={reason} />
      <IncludedPanel reason={reason} />
      <PublishedTermsPanel />
    </Stack>
  );
}
