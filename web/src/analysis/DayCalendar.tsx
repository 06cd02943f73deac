import { DatePicker } from '@mantine/dates';
import './analysis.css';
import { calendarProps } from './calendarProps.ts';

type Props = {
  day: string | null;
  min: string | undefined;
  max: string | undefined;
  onChoose: (day: string) => void;
};

export function DayCalendar({ day, min, max, onChoose }: Props) {
  return (
    <div className="range-calendar">
      <DatePicker
        {...calendarProps()}
        value={day}
        {...(min && { minDate: min })}
        {...(max && { maxDate: max })}
        {...((day ?? max) && { defaultDate: (day ?? max)! })}
        onChange={(chosen) => chosen && onChoose(chosen)}
      />
    </div>
  );
}
