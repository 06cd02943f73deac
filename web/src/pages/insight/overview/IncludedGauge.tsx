import { Card, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ofSums } from '../../../parts/costs/queries.ts';
import { gaugeOf } from '../../../parts/pricing/gauge.ts';
import { includedQuery } from '../../../parts/pricing/included.ts';
import { TextLink } from '../../../ui/text.tsx';

/** The included minutes or dollars of the whole organization in this month, whatever the page shows beside them. */
export function IncludedGauge() {
  const { data } = useQuery({ ...includedQuery, ...ofSums });
  const gauge = data ? gaugeOf(data) : null;
  if (!data || !gauge) return null;
  const { used, most, amount, until } = gauge;
  const state = data.is_exhausted ? 'is-used-up' : data.exhausted_on === null ? '' : 'is-short';
  return (
    <Card withBorder px="md" py="xs" className="included-gauge">
      <Text size="sm">
        <TextLink href="/settings/pricing?tab=included" inherit fw={600} c="inherit">
          {amount}
        </TextLink>
        , {until}
      </Text>
      <div
        role="meter"
        aria-label="Included usage of this month"
        aria-valuemin={0}
        aria-valuemax={most}
        aria-valuenow={Math.min(used, most)}
        aria-valuetext={`${amount}, ${until}`}
        className="included-meter"
      >
        <span className={state} style={{ width: `${Math.min(100, (100 * used) / most)}%` }} />
      </div>
    </Card>
  );
}
