import { Button, Group, Input, Text } from '@mantine/core';
import { DatePicker } from '@mantine/dates';
import { useId, useState } from 'react';
import { useSession } from '../api/session.ts';
import { useMediaQuery } from '../ui/browserState.ts';
import { longDay, shortDay } from '../ui/figures.ts';
import { PlainForm } from '../ui/PlainForm.tsx';
import { calendarProps } from './calendarProps.ts';
import { typedDates, type DatesError } from './dayText.ts';
import { addDays, historyStart, type Dates } from './ranges.ts';

type Props = { dates: Dates; today: string; onChoose: (dates: Dates) => void };

const twoMonthsFit = '(width >= 62em)';

/** Chooses a range of UTC days by two clicks, on the first and the last day. */
export function RangeCalendar({ dates, today, onChoose }: Props) {
  const [days, setDays] = useState<[string | null, string | null]>([dates.from, dates.to]);
  const [first, last] = days;
  const isWide = useMediaQuery(twoMonthsFit);
  const { organization } = useSession().data!;
  const known = { first: historyStart(organization.plan, today), today };
  return (
    <div className="range-calendar range-months">
      <TypedDates dates={dates} known={known} onChoose={onChoose} />
      <DatePicker
        {...calendarProps()}
        type="range"
        allowSingleDateInRange
        value={days}
        minDate={known.first}
        maxDate={today}
        numberOfColumns={isWide ? 2 : 1}
        defaultDate={isWide ? addDays(`${dates.to.slice(0, 7)}-01`, -1) : dates.to}
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

type TypedProps = Pick<Props, 'dates' | 'onChoose'> & { known: { first: string; today: string } };

/** Accepts days as pages show them, or as `2026-11-21`. */
function TypedDates({ dates, known, onChoose }: TypedProps) {
  const [from, setFrom] = useState(longDay(dates.from));
  const [to, setTo] = useState(longDay(dates.to));
  const [error, setError] = useState<DatesError | null>(null);
  const errorId = useId();
  return (
    <PlainForm
      onSubmit={() => {
        const typed = typedDates(from, to, known);
        if ('text' in typed) setError(typed);
        else onChoose(typed);
      }}
    >
      <Group gap={6} mb={error === null ? 'xs' : 2} className="typed-dates">
        {(
          [
            ['First day', 'from', from, setFrom],
            ['Last day', 'to', to, setTo],
          ] as const
        ).map(([label, field, value, change]) => (
          <Input
            key={label}
            size="xs"
            aria-label={label}
            // Mantine would describe each field separately.
            withAria={false}
            error={error?.fields.includes(field) ?? false}
            aria-invalid={error?.fields.includes(field)}
            aria-describedby={error?.fields.includes(field) ? errorId : undefined}
            autoComplete="off"
            maxLength={20}
            value={value}
            onChange={(event) => {
              change(event.currentTarget.value);
              setError(null);
            }}
          />
        ))}
        <Button type="submit" size="xs" variant="default">
          Apply
        </Button>
      </Group>
      {error !== null && (
        <Text size="xs" c="var(--mantine-color-error)" mb="xs" role="alert" id={errorId}>
          {error.text}
        </Text>
      )}
    </PlainForm>
  );
}
