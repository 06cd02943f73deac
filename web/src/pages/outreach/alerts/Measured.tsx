import { Group, Text } from '@mantine/core';
import { alertType, observedUnitOf } from '../../../parts/alerts/alertTypes.ts';
import { BudgetHeading } from '../../../parts/alerts/BudgetHeading.tsx';
import { percentOf } from '../../../parts/alerts/budgets.ts';
import {
  awayInWords,
  countedInWords,
  openRiseOf,
  periodInWords,
} from '../../../parts/alerts/triggerWords.ts';
import type { ListedAlert, Measurement, OpenTrigger } from '../../../parts/alerts/types.ts';
import { thresholdInWords } from '../../../parts/alerts/words.ts';
import { dollars, sentence } from '../../../ui/figures.ts';
import { Note } from '../../../ui/text.tsx';
import '../../../charts/charts.css';
import './alerts.css';
import { AlertValue } from './AlertParts.tsx';
import { recurrenceInWords } from './words.ts';

type Props = {
  alert: ListedAlert;
  /** By alert; undefined if they failed to load. */
  measurements: ReadonlyMap<string, Measurement> | undefined;
  /** For use above a chart that shows the threshold: the figure is larger and has no gauge. */
  isLarge?: boolean;
};

export function Measured({ alert, measurements, isLarge = false }: Props) {
  if (!alert.enabled) return <Dimmed>Not checked while it is off</Dimmed>;
  if (!measurements) return <Dimmed>The amounts failed to load</Dimmed>;
  const measured = measurements.get(alert.id);
  if (!measured) return <Dimmed>Not measured yet</Dimmed>;
  const open = openRiseOf(alert, measured);
  if (open) return <Triggered open={open} measured={measured} isLarge={isLarge} />;
  if (measured.insufficient_data) return <Dimmed>Not enough history to compare with</Dimmed>;
  return <Amounts alert={alert} measured={measured} isLarge={isLarge} />;
}

type AmountsProps = { alert: ListedAlert; measured: Measurement; isLarge: boolean };

function Amounts({ alert, measured, isLarge }: AmountsProps) {
  const { current_value: value, threshold_value: limit, forecast } = measured;
  const described = alertType(alert);
  const comparedWith = described.compared_with;
  const observed = observedUnitOf(described).value;
  return (
    <div className={isLarge ? 'alert-measured is-large' : 'alert-measured'}>
      <Group justify="space-between" gap="xs" wrap="nowrap" fz="sm">
        <span className="number">
          <b>
            {comparedWith ? sentence(awayInWords(alert, value)) : <AlertValue kind={alert} value={value} />}
          </b>
          <Text span inherit c="dimmed">
            {comparedWith ? ', threshold' : ' of'} {thresholdInWords(alert, limit)}
          </Text>
        </span>
        {described.unit === 'usd' && !comparedWith && (
          <span className="number">{percentOf(value, limit)}</span>
        )}
      </Group>
      {!isLarge && (value > 0 || forecast) && (
        <Gauge value={value} limit={limit} expected={forecast?.projected ?? null} />
      )}
      <Note size="xs" mt={2}>
        {forecast ? (
          <BudgetHeading kind={alert} limit={limit} forecast={forecast} />
        ) : (
          periodInWords(measured.period) +
          (comparedWith ? `: ${observed(measured.observed)}` : '') +
          (measured.baseline === null
            ? ''
            : `, normally ${observed(measured.baseline)}${recurrenceInWords(measured)}`)
        )}
      </Note>
    </div>
  );
}

type TriggeredProps = { open: OpenTrigger; measured: Measurement; isLarge: boolean };

/** Shows first what it triggered on, because the last scheduled check may have measured something else. */
function Triggered({ open, measured, isLarge }: TriggeredProps) {
  const { current_value: value, threshold_value: limit, period } = open;
  const isSame = period.start === measured.period.start && period.end === measured.period.end;
  return (
    <div className={isLarge ? 'alert-measured is-large' : 'alert-measured'}>
      <Text size="sm">
        <b>{awayInWords(open, value)}</b>
        <Text span inherit c="dimmed">
          , threshold {thresholdInWords(open, limit)}
        </Text>
      </Text>
      {!isLarge && <Gauge value={value} limit={limit} expected={null} />}
      <Note size="xs" mt={2}>
        {countedInWords(open)}: {dollars(open.observed)}
        {open.baseline !== null && `, normally ${dollars(open.baseline)}`}
      </Note>
      {!isSame && !measured.insufficient_data && (
        <Note size="xs">
          Last scheduled check, {periodInWords(measured.period)}: {awayInWords(open, measured.current_value)}
        </Note>
      )}
    </div>
  );
}

type GaugeProps = {
  value: number;
  limit: number;
  expected: number | null;
};

/** All gauges show the threshold at the same position, so that they can be compared. Longer bars are cut off. */
const maxThresholds = 1.5;

/** Hidden from screen readers, because the text beside it says the same. */
function Gauge({ value, limit, expected }: GaugeProps) {
  const longest = maxThresholds * limit;
  const width = (amount: number) => `${Math.min(100, Math.max(0, (100 * amount) / longest))}%`;
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
      {Math.max(value, expected ?? 0) > longest && <span className="gauge-break" />}
    </div>
  );
}

function Dimmed({ children }: { children: string }) {
  return <Note>{children}</Note>;
}
