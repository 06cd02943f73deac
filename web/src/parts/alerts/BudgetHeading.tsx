import { Text } from '@mantine/core';
import { sentence } from '../../ui/figures.ts';
import { alertType, unitOf } from './alertTypes.ts';
import { endOf, headingOf } from './budgets.ts';
import type { Kind, Measurement } from './types.ts';

type Props = { kind: Kind; limit: number; forecast: NonNullable<Measurement['forecast']> };

/** For example `Over on Nov 25, about $1,300 (130%) by Nov 30`, with only the bad news emphasized. */
export function BudgetHeading({ kind, limit, forecast }: Props) {
  const unit = unitOf(alertType(kind));
  const heading = headingOf(limit, forecast, unit);
  if (forecast.over_on === null) return sentence(heading);
  return (
    <>
      <Text span inherit fw={600} className="is-up">
        {sentence(heading)}
      </Text>
      , {endOf(limit, forecast, unit)}
    </>
  );
}
