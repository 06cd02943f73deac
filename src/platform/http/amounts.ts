import { Type, type Static } from 'typebox';
import { products, productWords, type Product } from '../../platform/lib/products.ts';
import { reportedText } from '../lib/text.ts';
import { nullable, nullableText, Usd, usdOf, words } from './schemas.ts';

const strict = { additionalProperties: false };

type AmountProduct = Exclude<Product, 'compute'>;
const amountProducts = products.filter((product): product is AmountProduct => product !== 'compute');

const Product = words(amountProducts, {
  description: amountProducts.map((product) => `\`${product}\`: ${productWords[product]}`).join('; '),
  examples: ['ai_credits'],
});

const Reported = Type.Object(
  {
    product: Product,
    cost: Type.Number({
      minimum: 0,
      maximum: 1_000_000_000,
      description: 'US dollars, with at most 9 decimals',
      examples: [1.2],
    }),
    unit: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, pattern: reportedText, examples: ['credits'] }),
    ),
    quantity: Type.Optional(
      Type.Number({ minimum: 0, maximum: 1e15, description: 'how many of the unit', examples: [120] }),
    ),
  },
  strict,
);
export type ReportedAmount = Static<typeof Reported>;

export const ReportedAmounts = Type.Array(Reported, {
  maxItems: 20,
  description:
    'what the run cost beside its jobs, such as the AI credits of an agent. Replaces what was reported before; an empty list ' +
    'removes it',
});

const Amount = Type.Object({
  product: Product,
  unit: nullableText('credits'),
  quantity: nullable(Type.Number({ description: 'null if a report did not say it', examples: [120] })),
  cost: Usd,
});

export const Amounts = Type.Array(Amount, {
  description: 'what was reported beside the jobs, by product and unit; not in `cost`',
});

export const CostWithAmounts = usdOf('`cost` and `amounts` together');
