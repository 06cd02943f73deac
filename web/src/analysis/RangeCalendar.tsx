import { Text } from '@mantine/core';
import { DatePicker } from '@mantine/dates';
import { useState } from 'react';
import { shortDay } from '../ui/figures.ts';
import { calendarProps } from './calendarProps.ts';
import type { Dates } from './ranges.ts';

type Props = { dates: Dates; today: string; onChoose: (dates: Dates) => void };

/** Of UTC days. A click on the first day and one on the last choose. */
export function RangeCalendar({ dates, today, onChoose }: Props) {
  const [days, setDays] = useState<[string | null, string | null]>([dates.from, dates.to]);
  const [first, last] = days;
  return (
    <div className="range-calendar">
      <DatePicker
        {...calendarProps()}
        type="range"
        allowSingleDateInRange
        value={days}
        maxDate={today}
        defaultDate={dates.to}
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
