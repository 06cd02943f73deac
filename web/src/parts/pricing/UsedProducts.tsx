import { shortDay } from '../../ui/figures.ts';
import { productGaugeOf } from './gauge.ts';
import type { IncludedProduct } from './included.ts';
import { UsedBar } from './UsedBar.tsx';

/** Nothing for products of which the terms include nothing or the bill has none. */
export function UsedProducts({ products }: { products: readonly IncludedProduct[] }) {
  return products.map((found) => {
    const gauge = productGaugeOf(found);
    return (
      gauge && (
        <UsedBar
          key={found.product}
          gauge={gauge}
          isExhausted={found.is_exhausted}
          note={`By the bill, up to ${shortDay(found.counted_until!)}.`}
        />
      )
    );
  });
}
