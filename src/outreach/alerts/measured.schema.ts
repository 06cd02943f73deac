import { Type } from 'typebox';
import {
  CalendarDay,
  nullable,
  NullableTimestamp,
  sampleText,
  Timestamp,
  Usd,
  usdOf,
  Uuid,
} from '../../platform/http/schemas.ts';
import type { DecimalNumber } from '../../platform/lib/money.ts';
import { Unit } from './rules/described.schema.ts';
import { CheckSchema, trigger } from './schema.ts';
import { Observed, Value } from './types.schema.ts';

const NullableUsd = Type.Unsafe<DecimalNumber | null>({ ...Usd, type: ['number', 'null'] });

const checkedValue = {
  so_far: Type.Boolean({ description: 'whether the value includes today so far, like a check now' }),
  current_value: Value,
  observed: Observed,
  baseline: CheckSchema.properties.baseline,
  recurs: CheckSchema.properties.recurs,
  period: CheckSchema.properties.period,
};

const Forecast = Type.Object(
  {
    period: CheckSchema.properties.period,
    spent: Usd,
    projected: usdOf('expected cost of the whole period, computed like the forecast of the month'),
    rounded: usdOf('`projected`, rounded to what the likely range supports, for headlines'),
    low: NullableUsd,
    high: NullableUsd,
    over_on: nullable(
      Type.String({ ...CalendarDay, description: 'day on which the cost exceeds the threshold' }),
    ),
    left_out_days: Type.Array(CalendarDay, { description: 'days marked unusual, which it leaves out' }),
    daily: Type.Array(
      Type.Object({
        date: CalendarDay,
        cost: NullableUsd,
        projected: NullableUsd,
      }),
    ),
  },
  {
    description:
      "forecast of a budget's current period, in the unit of `observed`; null for an anomaly and for net cost",
  },
);

const OpenTrigger = Type.Object(
  {
    id: trigger.id,
    alert_type: trigger.alert_type,
    measure: trigger.measure,
    triggered_at: Timestamp,
    current_value: Value,
    threshold_value: Value,
    observed: Observed,
    baseline: CheckSchema.properties.baseline,
    period: CheckSchema.properties.period,
  },
  { description: 'the open trigger with its values; null if no trigger is open' },
);

export const MeasurementsSchema = Type.Object({
  measurements: Type.Array(
    Type.Object({
      alert_id: Uuid,
      name: sampleText('CI budget', 'of the alert'),
      as_of: Type.Unsafe<Date>({
        ...Timestamp,
        description:
          'the value covers costs until this time: now for a budget, the last scheduled check for an anomaly',
      }),
      insufficient_data: Type.Boolean(),
      unit: Unit,
      measure: trigger.measure,
      threshold_value: Value,
      ...checkedValue,
      forecast: nullable(Forecast),
      open_trigger: nullable(OpenTrigger),
    }),
    { description: 'values of the enabled alerts, newest alert first' },
  ),
});

export const PreviewSchema = Type.Object({
  unit: Unit,
  measure: trigger.measure,
  firings: Type.Array(
    Type.Object({ at: Timestamp, threshold_value: Value, resolved_at: NullableTimestamp, ...checkedValue }),
    { description: 'when it would have triggered, oldest first' },
  ),
  series: Type.Array(
    Type.Object({
      at: Timestamp,
      insufficient_data: Type.Boolean(),
      over_threshold: Type.Boolean({ description: 'whether the condition held' }),
      ...checkedValue,
    }),
    { description: 'each scheduled check, oldest first; the last is a check now' },
  ),
  suggested_threshold: Type.Unsafe<DecimalNumber | null>({
    type: ['number', 'null'],
    format: 'decimal',
    description:
      '10% above the highest complete period of a budget, or the highest rise of an anomaly, without outliers (more ' +
      'than three deviations above the median, by the median absolute deviation); for a budget also 10% above the ' +
      'forecast of the current period, so that growth does not trigger it at once. Days marked unusual count as usual ' +
      'days, except for a daily anomaly, whose threshold decides which days are unusual. Null without enough history',
  }),
  suggestion: nullable(
    Type.Object(
      {
        highest_usual: Type.Unsafe<DecimalNumber>({
          ...Value,
          description: 'the highest complete period or rise that is not an outlier',
        }),
        outliers: Type.Integer({ description: 'how many outliers were left out' }),
        raised_for_current_period: Type.Boolean(),
        left_out_days: Type.Array(CalendarDay, {
          description: 'days marked unusual, which it leaves out, oldest first',
        }),
        exceeded_in_current_period: Type.Boolean({
          description: 'whether the current period already exceeds it, so that the alert triggers at once',
        }),
      },
      { description: 'how `suggested_threshold` was computed' },
    ),
  ),
  forecast: nullable(Forecast),
});
