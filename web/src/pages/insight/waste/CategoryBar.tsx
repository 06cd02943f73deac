import { Progress } from '@mantine/core';
import { categoryShown } from './categories.ts';
import type { Category } from './queries.ts';

type Props = { categories: Category[]; usefulCost: number; size: number };

/** The figures next to it say the same, so screen readers skip it. */
export function CategoryBar({ categories, usefulCost, size }: Props) {
  const parts = [...categories, { category: 'useful' as const, cost: usefulCost }];
  const total = parts.reduce((sum, { cost }) => sum + cost, 0);
  return (
    <Progress.Root size={size} aria-hidden="true" miw={80}>
      {total > 0 &&
        parts
          .filter(({ cost }) => cost > 0)
          .map(({ category, cost }) => (
            <Progress.Section
              key={category}
              withAria={false}
              value={(100 * cost) / total}
              color={categoryShown[category].color}
            />
          ))}
    </Progress.Root>
  );
}
