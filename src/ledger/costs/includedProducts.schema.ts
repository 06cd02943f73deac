import { Type } from 'typebox';
import { CalendarDay, nullable, sampleText, Span, words } from '../../platform/http/schemas.ts';
import { allowedProducts, type AllowedProduct } from '../pricing/publishedTerms.ts';

const NullableDay = (description: string) => nullable(Type.String({ ...CalendarDay, description }));

export const IncludedProductsSchema = Type.Array(
  Type.Object({
    product: words(Object.keys(allowedProducts) as AllowedProduct[]),
    title: sampleText('Artifact storage'),
    unit: words(['gb_hours', 'credits'] as const),
    month: Span,
    included: nullable(
      Type.Number({
        description: 'a GB is included for all hours of the month; null if the terms do not say',
      }),
    ),
    used: Type.Number({ description: 'this month, by the bill' }),
    counted_until: NullableDay('last day of the month in the bill; null without one'),
    is_exhausted: Type.Boolean(),
    exhausted_on: NullableDay(
      "day it is used up, or will be at this month's daily rate; null if not this month",
    ),
    repositories: Type.Array(Type.Object({ repo_name: sampleText('acme/api'), used: Type.Number() }), {
      description: 'those that used most',
    }),
  }),
);
