import { Text } from '@mantine/core';
import { DatePicker } from '@mantine/dates';
import { useState } from 'react';
import { useMediaQuery } from '../ui/browserFacts.ts';
import { shortDay } from '../ui/figures.ts';
import { calendarProps } from './calendarProps.ts';
import type { Dates } from './ranges.ts';

type Props = { dates: Dates; today: string; onChoose: (dates: Dates) => void };

/** As in `analysis.css`. */
const twoMonthsFit = '(width >= 62em)';

/** Of UTC days. A click on the first day and one on the last choose. */
export function RangeCalendar({ dates, today, onChoose }: Props) {
  const [days, setDays] = useState<[string | null, string | null]>([dates.from, dates.to]);
  const [first, last] = days;
  const isWide = useMediaQuery(twoMonthsFit);
  return (
    <div className="range-calendar range-months">
      <DatePicker
        {...calendarProps()}
        type="range"
        allowSingleDateInRange
        value={days}
        maxDate={today}
        numberOfColumns={isWide ? 2 : 1}
        defaultDate={isWide ? monthBefore(dates.to) : dates.to}
        onChange={([from, to]) => {
          setDays([from, to]);
          if (from && to) onChoose({ from, to });
        }}
      />
      <Text size="xs" c="dimmed" aria-live="polite">
        {first && !last
          ? `From ${shortDay(first)} to … Click the last day.`
          : 'Click the first day, then the last (UTC).'}
      </Text>
    </div>
  );
}

/** Its first day. */
function monthBefore(day: string): string {
  const [year, month] = day.split('-').map(Number) as [number, number];
  return new Date(Date.UTC(year, month - 2, 1)).toISOString().slice(0, 10);
}
