import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ofSums } from '../../../parts/costs/queries.ts';
import { Loading } from '../../../parts/costs/Summary.tsx';
import { gaugeOf } from '../../../parts/pricing/gauge.ts';
import { includedQuery } from '../../../parts/pricing/included.ts';
import { Figure } from '../../../ui/Figure.tsx';
import { FigureLink } from '../../../ui/text.tsx';

/** How much of what the organization has included is left in this month. Without an allowance, the other figure is in its place. */
export function IncludedFigure({ otherwise }: { otherwise: ReactNode }) {
  const query = useQuery({ ...includedQuery, ...ofSums });
  const gauge = query.data ? gaugeOf(query.data) : null;
  if (query.error || (query.data && !gauge)) return otherwise;
  return (
    <Loading query={query} label="Included usage">
      {({ is_exhausted: isExhausted, exhausted_on: day }) => {
        const { used, most, amount, left, of, title, until } = gauge!;
        return (
          <Figure
            label={`${title} left`}
            value={<FigureLink value={left} href="/settings/discounts" to="included usage" />}
            note={`${of}, ${until}`}
            trend={
              <div
                role="meter"
                aria-label={title}
                aria-valuemin={0}
                aria-valuemax={most}
                aria-valuenow={Math.min(used, most)}
                aria-valuetext={`${amount} ${of}, ${until}`}
                className="included-meter"
              >
                <span
                  className={isExhausted ? 'is-used-up' : day === null ? '' : 'is-short'}
                  style={{ width: `${Math.min(100, (100 * used) / most)}%` }}
                />
              </div>
            }
          />
        );
      }}
    </Loading>
  );
}
