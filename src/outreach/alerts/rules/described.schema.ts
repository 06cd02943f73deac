import { Type } from 'typebox';
import { nullable, sampleText, words } from '../../../platform/http/schemas.ts';
import { units, type UnitName } from '../../../platform/lib/units.ts';

export const Unit = words(Object.keys(units) as UnitName[], {
  description: 'unit of the thresholds and values',
});

const Compared = Type.Object({
  short: sampleText('the same weekday'),
  long: sampleText('the same weekday of the previous 4 weeks'),
});

/** What people read of an alert type. Pages, the command and the API's description take their texts from it. */
export const DescribedSchema = Type.Object({
  title: sampleText('Budget'),
  noun: sampleText('a budget'),
  about: sampleText('Notifies you once when a day, week or month goes over an amount.'),
  condition: sampleText('spending in a period exceeds an amount'),
  unit: Unit,
  observed_unit: Type.Unsafe<UnitName>({
    ...Unit,
    description: 'unit of `observed`, `baseline`, forecasts and explanations',
  }),
  max_threshold: Type.Integer({ examples: [1_000_000_000] }),
  exceeds: sampleText('over', 'in front of a threshold, as in `over $5,000 per month`'),
  value_title: sampleText('Spent'),
  subject: sampleText('the cost of', 'in front of what the alert watches'),
  in_short: sampleText('spending', 'what it adds up'),
  has_forecast: Type.Boolean({ description: 'whether its measurements have a `forecast`' }),
  within: sampleText('Within budget.', 'a check whose condition does not hold'),
  over: sampleText('Over budget.', 'a check whose condition holds'),
  over_state: sampleText('over budget', 'state of an alert that is over its threshold'),
  pending: sampleText('triggers at its next check', 'an alert that is over before a check has triggered it'),
  baseline_title: sampleText('Previous period'),
  baseline_days: sampleText('the same days of the previous period', 'what a trigger is explained against'),
  compared_with: nullable(
    Type.Object(
      { daily: Compared, weekly: Compared, monthly: Compared },
      {
        description:
          'by check frequency: the usual costs that the value is a distance from; null if the value is the cost itself',
      },
    ),
  ),
  names: Type.Object(
    {
      day: sampleText('Daily budget'),
      week: sampleText('Weekly budget'),
      month: sampleText('Monthly budget'),
    },
    { description: 'names to suggest, by period' },
  ),
});

export type Described = Type.Static<typeof DescribedSchema>;
