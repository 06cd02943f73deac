import { useQuery } from '@tanstack/react-query';
import { productTitles } from '../../../analysis/words.ts';
import { productGaugeOf } from '../../../parts/pricing/gauge.ts';
import { includedProductsQuery } from '../../../parts/pricing/included.ts';
import { dollars, monthAlone } from '../../../ui/figures.ts';
import { InText, Note } from '../../../ui/text.tsx';
import { useOtherProducts } from './queries.ts';

/** What the newest bill has beside compute, and how much of what the plan includes is used. Nothing if there is neither. */
export function OtherProducts({ today }: { today: string }) {
  const bill = useOtherProducts(today).data;
  const included = useQuery({ ...includedProductsQuery, staleTime: 600_000 });
  if (!bill || included.isPending) return null;
  const used = (included.data ?? []).flatMap((each) => {
    const gauge = productGaugeOf(each);
    return gauge ? [`${gauge.title}: ${gauge.amount} ${gauge.of}, ${gauge.until}.`] : [];
  });
  if (bill.products.length + used.length === 0) return null;
  return (
    <Note style={{ overflowWrap: 'anywhere' }}>
      {bill.products.length > 0 &&
        `Also billed for ${monthAlone(bill.month)}: ${bill.products.map(inWords).join('; ')}. `}
      {used.join(' ')} <InText href={`/bill?month=${bill.month}`}>The bill</InText>
    </Note>
  );
}

type Billed = NonNullable<ReturnType<typeof useOtherProducts>['data']>['products'][number];

/** For example `storage $7.84 (largest: nimbus-commerce/desktop $2.98)`. */
function inWords({ product, net, repositories: [most] }: Billed): string {
  const billed = `${lowered(productTitles[product])} ${dollars(net)}`;
  return most?.repository ? `${billed} (largest: ${most.repository} ${dollars(most.net)})` : billed;
}

/** `storage` within a sentence, but `Git LFS` and `AI credits`. */
function lowered(title: string): string {
  return /^(AI|Git) /.test(title) ? title : title.toLowerCase();
}
