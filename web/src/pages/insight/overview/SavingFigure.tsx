import { Loading } from '../../../parts/costs/Summary.tsx';
import { useSavings } from '../../../parts/waste/waste.ts';
import { useIsAlive } from '../../../ui/browserState.ts';
import { Figure } from '../../../ui/Figure.tsx';
import { exactDollars, roughDollars } from '../../../ui/figures.ts';
import { FigureLink } from '../../../ui/text.tsx';

/** What can be saved in total: at most, because a dollar can be both in a fix and in a move. */
export function SavingFigure({ isReady }: { isReady: boolean }) {
  // Adding up jobs takes long, so it starts after the figures that come first.
  const isAlive = useIsAlive();
  return (
    <Loading query={useSavings({ enabled: isReady && isAlive })} label="Savings a month" hasTrend={false}>
      {({ fixes, moves, storage }) => {
        const total = fixes + moves + storage;
        const parts = [
          ['fixes', fixes],
          ['other runners', moves],
          ['storage', storage],
        ] as const;
        return (
          <Figure
            label="Savings a month"
            value={
              <FigureLink
                value={total > 0 ? `Up to ${roughDollars(total)}` : 'None found'}
                href="/waste?days=30"
                to="waste"
                {...(total > 0 && { hint: `${exactDollars(total)}. Click to see waste.` })}
              />
            }
            note={parts
              .filter(([, saving]) => saving > 0)
              .map(([name, saving]) => `${roughDollars(saving)} by ${name}`)
              .join(', ')}
          />
        );
      }}
    </Loading>
  );
}
