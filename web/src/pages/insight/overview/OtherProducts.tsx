import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { productTitles } from '../../../analysis/words.ts';
import { productGaugeOf } from '../../../parts/pricing/gauge.ts';
import { includedProductsQuery } from '../../../parts/pricing/included.ts';
import { UsedProducts } from '../../../parts/pricing/UsedProducts.tsx';
import { monthName } from '../../../ui/figures.ts';
import { Panel } from '../../../ui/Panel.tsx';
import { Money, Note } from '../../../ui/text.tsx';
import { useOtherProducts } from './queries.ts';

const maxRows = 5;

/** What the newest bill has beside compute; and how much of what the plan includes is used. Nothing if there is neither. */
export function OtherProducts({ today }: { today: string }) {
  const month = useOtherProducts(today).data;
  const included = useQuery({ ...includedProductsQuery, staleTime: 600_000 });
  if (!month || included.isPending) return null;
  const used = (included.data ?? []).filter(productGaugeOf);
  if (month.rows.length === 0 && used.length === 0) return null;
  const more = month.rows.length - maxRows;
  return (
    <Panel
      title="Storage and other products"
      more={{ href: `/bill?month=${month.month}`, label: 'The bill' }}
    >
      <Note>{monthName(month.month)}, as billed. Other figures on this page are of jobs.</Note>
      {month.rows.slice(0, maxRows).map(({ product, repository, net }) => (
        <Text key={`${product} ${repository}`} size="sm" style={{ overflowWrap: 'anywhere' }}>
          {repository || 'No repository'}: <Money amount={net} />, {lowered(productTitles[product])}
        </Text>
      ))}
      {more > 0 && <Note>And {more} more.</Note>}
      <UsedProducts products={used} />
    </Panel>
  );
}

/** `storage` within a sentence, but `Git LFS` and `AI credits`. */
function lowered(title: string): string {
  return /^(AI|Git) /.test(title) ? title : title.toLowerCase();
}
