import { Text } from '@mantine/core';
import { countOf, leftOutInWords, monthName } from '../ui/figures.ts';
import { Money } from '../ui/Money.tsx';
import { headlineOf, partsOf } from './forecast.ts';
import type { Forecast } from './queries.ts';

export function ForecastExplained({ month }: { month: Forecast }) {
  const { low, high, spent, projected, rounded, confidence } = month;
  const { restOfToday, daysToCome, ofDaysToCome, correction } = partsOf(month);
  if (confidence === 'none')
    return (
      <Text inherit>
        A forecast needs at least one full day. {monthName(month.month)} has cost <Money amount={spent} /> so
        far.
      </Text>
    );
  return (
    <>
      <Text inherit>
        Spent so far: <Money amount={spent} />. Rest of today: <Money amount={restOfToday} />. The remaining{' '}
        {countOf(daysToCome, 'day')}: <Money amount={ofDaysToCome} />. Forecast: <Money amount={projected} />
        {rounded !== projected && `, rounded to ${headlineOf(month)}`}.
      </Text>
      <Text inherit>
        Each remaining day counts as the median of the same weekday in the last 8 weeks.{' '}
        {leftOutInWords(month.left_out_days)}{' '}
        {correction !== 0 && (
          <>
            On past days this was <Money amount={Math.abs(correction)} /> too{' '}
            {correction > 0 ? 'low' : 'high'}, so we {correction > 0 ? 'add' : 'subtract'} that amount.
          </>
        )}
      </Text>
      {low === null || high === null ? (
        <Text inherit>There is not enough history for a likely range.</Text>
      ) : (
        <Text inherit>
          Likely range: <Money amount={low} /> to <Money amount={high} />. About 3 of 4 months end within it.
          {confidence === 'low' && ' With so little history, it is rough.'}
        </Text>
      )}
    </>
  );
}
