import './charts.css';
import { shortDay, axisDollars } from '../ui/figures.ts';
import { burnUpOf, type PeriodForecast } from './burnUp.ts';
import { dateTicks } from './spans.ts';
import { evenTicks } from './ticks.ts';

type Props = {
  forecast: PeriodForecast;
  limit: number;
  label: string;
  /** Label of the limit in the chart, where there is room for it and for a scale. */
  limitLabel?: string;
  onAxis?: (amount: number) => string;
};

const [width, height] = [100, 84];
/** Number of day labels that fit on phones. */
const maxDays = 5;

export function BurnUp({ forecast, limit, label, limitLabel, onAxis = axisDollars }: Props) {
  const { spent, expected, band, highest } = burnUpOf(forecast, limit, new Date());
  const x = (part: number) => (width * part).toFixed(2);
  const y = (amount: number) => (height - (amount / highest) * height).toFixed(2);
  const line = (points: readonly (readonly [number, number])[]) =>
    points.map(([part, amount], index) => `${index === 0 ? 'M' : 'L'}${x(part)} ${y(amount)}`).join('');
  const now = spent.at(-1)![0];
  const ticks = limitLabel === undefined ? [] : evenTicks(0, highest).filter((tick) => tick <= highest);
  const starts = forecast.daily.map(({ date }) => date);
  const days = limitLabel === undefined ? [] : dateTicks(starts, 'day', maxDays);
  const placeOf = (day: string) => x(starts.indexOf(day) / starts.length);
  const chart = (
    <svg
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
      className="burn-up"
    >
      {ticks.map((tick) => (
        <path key={tick} d={`M0 ${y(tick)}H${width}`} className="burn-up-grid" />
      ))}
      {days.map((day) => (
        <path key={day} d={`M${placeOf(day)} 0V${height}`} className="burn-up-grid is-day" />
      ))}
      <path d={`M0 ${height}H${width}`} className="burn-up-axis" />
      {band.length > 0 && <path d={`${line(band)}Z`} className="burn-up-band" />}
      <path d={`${line(spent)}V${height}H0Z`} className="burn-up-area" />
      <path d={`M${x(now)} 0V${height}`} className="burn-up-now" />
      <path d={line(expected)} className="burn-up-line is-expected" />
      <path d={line(spent)} className="burn-up-line" />
      <path d={`M0 ${y(limit)}H${width}`} className="burn-up-limit" />
    </svg>
  );
  if (limitLabel === undefined) return chart;
  return (
    <div className="burn-up-frame">
      {ticks.map((tick) => (
        <span
          key={tick}
          className="burn-up-label is-tick"
          style={{ top: `${(100 * Number(y(tick))) / height}%` }}
          aria-hidden
        >
          {onAxis(tick)}
        </span>
      ))}
      {days.map((day) => (
        <span key={day} className="burn-up-label is-day" style={{ left: `${placeOf(day)}%` }} aria-hidden>
          {shortDay(day)}
        </span>
      ))}
      <span
        className="burn-up-label is-limit"
        style={{ top: `${(100 * Number(y(limit))) / height}%` }}
        aria-hidden
      >
        {limitLabel}
      </span>
      <span className="burn-up-label" style={{ left: `min(${x(now)}%, 100% - 18px)` }} aria-hidden>
        Today
      </span>
      {chart}
    </div>
  );
}
