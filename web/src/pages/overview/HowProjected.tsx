import { Text } from '@mantine/core';
import { countOf, monthName } from '../../shown/figures.ts';
import { Money } from '../../shown/Money.tsx';
import { partsOf } from './projectionParts.ts';
import type { Projection } from './queries.ts';

/** How the projection of the month comes about, in words and in its own numbers. */
export function HowProjected({ month }: { month: Projection }) {
  const { low, high, spent, projected, confidence } = month;
  const { restOfToday, daysToCome, ofDaysToCome, place } = partsOf(month);
  if (confidence === 'none')
    return (
      <Text inherit>
        There is no whole day yet to tell what a day of yours costs. So far {monthName(month.month)} cost{' '}
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
        That is the usual pace: each day to come counts as the median of the same weekday in the last 8 weeks.
      </Text>
      {low === null || high === null ? (
        <Text inherit>There are too few earlier days to tell how far off this may be.</Text>
      ) : (
        <Text inherit>
          The month may end between <Money amount={low} /> and <Money amount={high} />: that is how far off
          the same calculation would have been on earlier days. About three of four months end within
          {confidence === 'low' && '; with so few days before, take it as rough'}.
        </Text>
      )}
      {place !== null && (
        <Text inherit>
          The usual pace is the {place} end: on nearly all earlier days it turned out too{' '}
          {place === 'lower' ? 'low' : 'high'}, so more is to be expected{' '}
          {place === 'lower' ? 'above' : 'below'} it.
        </Text>
      )}
    </>
  );
}
