import { Text } from '@mantine/core';
import { BurnUp } from '../../charts/BurnUp.tsx';
import { Keys } from '../../charts/Legend.tsx';
import { dollars, limitDollars } from '../../ui/figures.ts';
import { Note } from '../../ui/text.tsx';
import { BudgetHeading } from './BudgetHeading.tsx';
import { budgetStatus } from './budgets.ts';
import type { Measurement } from './types.ts';

export type Forecast = NonNullable<Measurement['forecast']>;

type Props = { limit: number; forecast: Forecast };

export function usedInWords({ limit, forecast }: Props): string {
  return `${dollars(forecast.spent)} of ${limitDollars(limit)}`;
}

export function BudgetBurnUp({ limit, forecast, isLarge = false }: Props & { isLarge?: boolean }) {
  const { text, isOver } = budgetStatus(limit, forecast);
  const label = `${usedInWords({ limit, forecast })}. ${text}`;
  if (!isLarge)
    return (
      <>
        <Note size="xs">
          <BudgetHeading limit={limit} forecast={forecast} />
        </Note>
        <BurnUp forecast={forecast} limit={limit} label={label} />
      </>
    );
  return (
    <>
      <Text size="sm" className={isOver ? 'is-up' : undefined} fw={isOver ? 600 : 400}>
        {text}
      </Text>
      <BurnUp forecast={forecast} limit={limit} label={label} limitLabel={`Budget ${limitDollars(limit)}`} />
    </>
  );
}

export function BurnUpKeys() {
  return (
    <Keys
      keys={[
        { title: 'Spent', kind: 'line', color: 'var(--series-1)' },
        { title: 'Forecast', kind: 'dashed', color: 'var(--series-1)' },
        { title: 'Likely range', kind: 'band', color: 'var(--series-1)' },
        { title: 'Budget', kind: 'line', color: 'var(--chart-over)' },
      ]}
    />
  );
}
