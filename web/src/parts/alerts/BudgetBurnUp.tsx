import { Text } from '@mantine/core';
import { BurnUp } from '../../charts/BurnUp.tsx';
import { Keys } from '../../charts/Legend.tsx';
import { Note } from '../../ui/text.tsx';
import { alertType, unitOf } from './alertTypes.ts';
import { BudgetHeading } from './BudgetHeading.tsx';
import { budgetStatus } from './budgets.ts';
import type { Kind, Measurement } from './types.ts';

export type Forecast = NonNullable<Measurement['forecast']>;

type Props = { kind: Kind; limit: number; forecast: Forecast };

export function usedInWords(kind: Kind, spent: number, limit: number): string {
  const { value, threshold } = unitOf(alertType(kind));
  return `${value(spent)} of ${threshold(limit)}`;
}

export function BudgetBurnUp({ kind, limit, forecast, isLarge = false }: Props & { isLarge?: boolean }) {
  const unit = unitOf(alertType(kind));
  const { text, isOver } = budgetStatus(limit, forecast, unit);
  const label = `${usedInWords(kind, forecast.spent, limit)}. ${text}`;
  if (!isLarge)
    return (
      <>
        <Note size="xs">
          <BudgetHeading kind={kind} limit={limit} forecast={forecast} />
        </Note>
        <BurnUp forecast={forecast} limit={limit} label={label} />
      </>
    );
  return (
    <>
      <Text size="sm" className={isOver ? 'is-up' : undefined} fw={isOver ? 600 : 400}>
        {text}
      </Text>
      <BurnUp
        forecast={forecast}
        limit={limit}
        label={label}
        limitLabel={`${limitTitle(kind)} ${unit.threshold(limit)}`}
        onAxis={unit.onAxis}
      />
    </>
  );
}

function limitTitle(kind: Kind): string {
  return unitOf(alertType(kind)).isPercent ? 'Threshold' : 'Budget';
}

/** Without a kind, for budgets of several kinds. */
export function BurnUpKeys({ kind }: { kind?: Kind }) {
  return (
    <Keys
      keys={[
        { title: kind ? alertType(kind).value_title : 'Spent', kind: 'line', color: 'var(--series-1)' },
        { title: 'Forecast', kind: 'dashed', color: 'var(--series-1)' },
        { title: 'Likely range', kind: 'band', color: 'var(--series-1)' },
        { title: kind ? limitTitle(kind) : 'Budget', kind: 'line', color: 'var(--chart-over)' },
      ]}
    />
  );
}
