import { Text } from '@mantine/core';
import { countOf, monthName } from '../../../ui/figures.ts';
import { Money } from '../../../ui/Money.tsx';
import { partsOf } from './projectionParts.ts';
import type { Projection } from './queries.ts';

/** How the forecast of the month is made, in words and in its own numbers. */
export function HowProjected({ month }: { month: Projection }) {
  const { low, high, spent, projected, confidence } = month;
  const { restOfToday, daysToCome, ofDaysToCome, correction } = partsOf(month);
  if (confidence === 'none')
    return (
      <Text inherit>
        A forecast needs at least one whole day. So far {monthName(month.month)} has cost{' '}
        <Money amount={spent} />.
      </Text>
    );
  return (
    <>
      <Text inherit>
        Spent so far <Money amount={spent} />, plus <Money amount={restOfToday} /> for the rest of today, plus{' '}
        <Money amount={ofDaysToCome} /> for the {countOf(daysToCome, 'day')} to come:{' '}
        <Money amount={projected} />.
      </Text>
      <Text inherit>
        Each day to come counts as the median of the same weekday in the last 8 weeks.{' '}
        {correction !== 0 && (
          <>
            On earlier days, this came out <Money amount={Math.abs(correction)} /> too{' '}
            {correction > 0 ? 'low' : 'high'}, which is {correction > 0 ? 'added' : 'taken off'}.
          </>
        )}
      </Text>
      {low === null || high === null ? (
        <Text inherit>There are too few earlier days to say how far off this may be.</Text>
      ) : (
        <Text inherit>
          Likely range: <Money amount={low} /> to <Money amount={high} />. About three of four months end
          within it{confidence === 'low' && '; with so few earlier days, it is rough'}.
        </Text>
      )}
    </>
  );
}
