import { Progress } from '@mantine/core';
import type { Category } from '../../../parts/waste/waste.ts';
import { categoryColor } from '../../../parts/waste/wasteCategories.ts';

type Props = { categories: readonly Category[]; total: number; size: number };

/** The part that is not waste stays empty. Hidden from screen readers, because the figures beside it say the same. */
export function CategoryBar({ categories, total, size }: Props) {
  return (
    <Progress.Root size={size} aria-hidden="true" miw={80} className="category-bar">
      {categories
        .filter(({ cost }) => cost > 0)
        .map(({ category, cost }) => (
          <Progress.Section
            key={category}
            withAria={false}
            value={(100 * cost) / total}
            color={categoryColor(category)}
          />
        ))}
    </Progress.Root>
  );
}
