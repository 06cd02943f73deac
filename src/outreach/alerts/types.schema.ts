import { Type } from 'typebox';
import { costMeasures, type CostMeasure } from '../../ledger/costs/costMeasures.ts';
import { sampleText, Usd, words } from '../../platform/http/schemas.ts';
import type { DecimalNumber } from '../../platform/lib/money.ts';
import { units } from '../../platform/lib/units.ts';
import { alertTypeNames, alertTypes, describedOf, measuresOf } from './alertTypes.ts';
import { DescribedSchema } from './rules/described.schema.ts';
import { scopeTypes } from './scope.ts';

const types = alertTypeNames.map((name) => {
  const { unit, ...described } = alertTypes[name].described;
  return { name, ...described, unit: units[unit].title };
});
export const MeasureWord = words(costMeasures, {
  description:
    '`list_cost` (the default): at the price list; `net_cost`: without free runners, included minutes and discounts; ' +
    "`included_usage`: the percentage of the month's included minutes that its jobs used; `included_gitlab_minutes`: of GitLab's; `included_artifacts`, " +
    '`included_packages` and `included_ai_credits`: the percentage of the included storage or AI credits that the bill used',
});
const ofOtherMeasures = alertTypeNames.flatMap((name) => {
  const own = alertTypes[name].described;
  const unitIn = (measure: CostMeasure) => describedOf({ alertType: name, measure }).unit;
  const others = measuresOf(name).filter((measure) => unitIn(measure) !== own.unit);
  return [...Map.groupBy(others, unitIn)].map(
    ([unit, of]) => `${units[unit].title} for ${own.noun} of the measure \`${of.join('`, `')}\``,
  );
});
const maxThreshold = Math.max(...types.map((type) => type.max_threshold));
const thresholdUnits = [...types.map(({ unit, noun }) => `${unit} for ${noun}`), ...ofOtherMeasures].join(
  ', ',
);
const thresholds = types.map(({ unit, noun, max_threshold: max }) =>
  max < maxThreshold ? `${unit}, up to ${max.toLocaleString('en-US')}, for ${noun}` : `${unit} for ${noun}`,
);

export const AlertTypeWord = words(alertTypeNames, {
  description: types.map(({ name, condition }) => `\`${name}\`: ${condition}`).join('; '),
});

export const frequencies = words(['daily', 'weekly', 'monthly']);
export const periods = words(['day', 'week', 'month'], {
  description: 'period of a budget, in UTC; ignored for types without `by_period`',
});
const describedFields = {
  ...DescribedSchema.properties,
  unit_title: sampleText('US dollars'),
  unit_prefix: sampleText('$', 'in front of a number; may be empty'),
  unit_suffix: sampleText('', 'after a number, such as `%`; may be empty'),
};

export const AlertTypesSchema = Type.Array(
  Type.Object({
    type: AlertTypeWord,
    ...describedFields,
    measures: Type.Array(
      Type.Object({
        measure: MeasureWord,
        measure_title: sampleText('List cost'),
        periods: Type.Array(periods),
        scope_types: Type.Array(words(scopeTypes)),
        ...describedFields,
      }),
      {
        description:
          'what it can watch, and its fields with each; the fields beside this are those of the first',
      },
    ),
    by_period: Type.Boolean({
      description: 'whether it adds up a calendar period, and so has a `period`, a `forecast` and shares',
    }),
  }),
);

export const Threshold = Type.Number({
  exclusiveMinimum: 0,
  maximum: maxThreshold,
  description: `${[...thresholds, ...ofOtherMeasures].join('; ')}; up to nine decimals`,
});

export const Value = Type.Unsafe<DecimalNumber>({
  type: 'number',
  format: 'decimal',
  description: thresholdUnits,
});

export const Observed = Type.Unsafe<DecimalNumber>({
  ...Usd,
  description: 'US dollars; percent for measures of included usage',
});
