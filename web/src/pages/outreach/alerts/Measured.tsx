import { Group, Text } from '@mantine/core';
import { createContext, useContext } from 'react';
import { headingOf, percentOf } from '../../../alerts/budgets.ts';
import type { ListedAlert, Measurement } from '../../../alerts/types.ts';
import { thresholdInWords } from '../../../alerts/words.ts';
import '../../../charts/charts.css';
import { dollars, sentence } from '../../../ui/figures.ts';
import { Money } from '../../../ui/Money.tsx';
import './alerts.css';
import { awayInWords, periodInWords } from './words.ts';

export type Measurements = ReadonlyMap<string, Measurement>;

/** `failed` if they could not be loaded. */
export const MeasurementsContext = createContext<Measurements | 'failed'>('failed');

export function Measured({ alert }: { alert: ListedAlert }) {
  const measurements = useContext(MeasurementsContext);
  if (!alert.enabled) return <Dimmed>Not checked while it is off</Dimmed>;
  if (measurements === 'failed') return <Dimmed>The amounts failed to load</Dimmed>;
  const measured = measurements.get(alert.id);
  if (!measured) return <Dimmed>Not measured yet</Dimmed>;
  if (measured.insufficient_data) return <Dimmed>Not enough history to compare with</Dimmed>;
  return <Amounts alert={alert} measured={measured} />;
}

type AmountsProps = { alert: ListedAlert; measured: Measurement };

function Amounts({ alert: { alert_type: type }, measured }: AmountsProps) {
  const { current_value: value, threshold_value: limit, forecast } = measured;
  return (
    <div className="alert-measured">
      <Group justify="space-between" gap="xs" wrap="nowrap" fz="sm">
        <span className="number">
          <b>{type === 'budget' ? <Money amount={value} /> : awayInWords(value)}</b>
          <Text span inherit c="dimmed">
            {type === 'budget' ? ' of' : ', threshold'} {thresholdInWords(type, limit)}
          </Text>
        </span>
        {type === 'budget' && <span className="number">{percentOf(value, limit)}</span>}
      </Group>
      {(value > 0 || forecast) && (
        <Gauge value={value} limit={limit} expected={forecast?.projected ?? null} />
      )}
      <Text size="xs" c="dimmed" mt={2}>
        {forecast ? (
          <Heading limit={limit} forecast={forecast} />
        ) : (
          `${periodInWords(measured.period)}: ${dollars(measured.observed)}` +
          (measured.baseline === null ? '' : `, normally ${dollars(measured.baseline)}`)
        )}
      </Text>
    </div>
  );
}

function Heading({ limit, forecast }: { limit: number; forecast: NonNullable<Measurement['forecast']> }) {
  const heading = headingOf(limit, forecast);
  if (forecast.over_on === null) return sentence(heading);
  const end = headingOf(limit, { ...forecast, spent: 0, over_on: null });
  return (
    <>
      <Text span inherit fw={600} className="is-up">
        {sentence(heading)}
      </Text>
      , {end}
    </>
  );
}

/** What the marks of the gauges mean. */
export function GaugeKeys() {
  return (
    <ul aria-label="Legend" className="keys">
      <li>
        <span className="swatch" style={{ background: 'var(--series-1)' }} />
        So far
      </li>
      <li>
        <span className="swatch is-band" style={{ background: 'var(--series-1)' }} />
        Forecast
      </li>
      <li>
        <span className="gauge-key" />
        Threshold
      </li>
    </ul>
  );
}

type GaugeProps = { value: number; limit: number; expected: number | null };

/** The same is beside it as text. */
function Gauge({ value, limit, expected }: GaugeProps) {
  // Room for the mark of the limit.
  const longest = Math.max(1.02 * limit, value, expected ?? 0);
  const width = (amount: number) => `${Math.max(0, (100 * amount) / longest)}%`;
  const over = value > limit ? 'is-over' : undefined;
  return (
    <div className="gauge" aria-hidden="true">
      {expected !== null && (
        <span
          className={`is-expected ${expected > limit ? 'is-over' : ''}`}
          style={{ width: width(expected) }}
        />
      )}
      <span className={over} style={{ width: width(value) }} />
      <span className="gauge-limit" style={{ left: width(limit) }} />
    </div>
  );
}

function Dimmed({ children }: { children: string }) {
  return (
    <Text size="sm" c="dimmed">
      {children}
    </Text>
  );
}
