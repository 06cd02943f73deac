import type { UseQueryResult } from '@tanstack/react-query';
import { Loading } from '../../../parts/costs/Summary.tsx';
import { useSavings } from '../../../parts/waste/waste.ts';
import { isServer } from '../../../ui/browserState.ts';
import { Figure } from '../../../ui/Figure.tsx';
import { exactDollars, roughDollars } from '../../../ui/figures.ts';
import { FigureLink } from '../../../ui/text.tsx';

/** What can be saved in total: at most, because a dollar can be both in a fix and in a move. */
export function SavingFigure({ isReady }: { isReady: boolean }) {
  // Adding up jobs takes long, so it starts after the figures that come first.
  const parts = useSavings({ enabled: isReady && !isServer });
  const queries: UseQueryResult[] = parts.map(({ query }) => query);
  // One that came stands for those that failed.
  const shown = queries.find(({ isPending }) => isPending) ?? queries.find(({ isSuccess }) => isSuccess);
  return (
    <Loading query={shown ?? queries[0]!} label="Savings a month" hasTrend={false}>
      {() => {
        const total = parts.reduce((sum, { saving = 0 }) => sum + saving, 0);
        const failed = parts.filter(({ saving }) => saving === undefined);
        const none = failed.length === 0 ? 'None found' : '–';
        return (
          <Figure
            label="Savings a month"
            value={
              <FigureLink
                value={total > 0 ? `Up to ${roughDollars(total)}` : none}
                href="/waste?days=30"
                to="waste"
                {...(total > 0 && { hint: `${exactDollars(total)}. Click to see waste.` })}
              />
            }
            note={[
              ...parts
                .filter(({ saving = 0 }) => saving > 0)
                .map(({ name, saving }) => `${roughDollars(saving!)} by ${name}`),
              ...failed.map(({ name }) => `${name} failed to load`),
            ].join(', ')}
          />
        );
      }}
    </Loading>
  );
}
