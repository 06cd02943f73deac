import { calendar } from '../api/calendar.ts';
import { longDay } from '../ui/figures.ts';

export const calendarProps = () => ({
  maxLevel: 'year' as const,
  firstDayOfWeek: calendar().week_start === 'sunday' ? (0 as const) : (1 as const),
  weekdayFormat: 'dd',
  withCellSpacing: false,
  hideOutsideDates: true,
  getDayProps: (day: string) => ({ 'aria-label': longDay(day) }),
  ariaLabels: {
    previousMonth: 'Previous month',
    nextMonth: 'Next month',
  },
});
