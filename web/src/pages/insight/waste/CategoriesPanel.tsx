import { Anchor, Box, ColorSwatch, Group, Text } from '@mantine/core';
import { count } from '../../../ui/figures.ts';
import { Money } from '../../../ui/Money.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { breaking, Columns, keptNumber, WideTable } from '../../../ui/WideTable.tsx';
import { categoryShown } from './categories.ts';
import { CategoryBar } from './CategoryBar.tsx';
import type { CategoryName, Waste } from './queries.ts';

type Props = { data: Waste; onCategory: (category: CategoryName) => void };

export function CategoriesPanel({ data, onCategory }: Props) {
  return (
    <Panel title="Where the cost went">
      <CategoryBar categories={data.categories} usefulCost={data.useful_cost} size={20} />
      <WideTable label="Categories" minWidth={440}>
        <Columns texts={['Category']} numbers={['Cost', 'Share', 'Minutes', 'Jobs']} kept="Cost" />
        <tbody>
          {data.categories.map((share) => (
            <CategoryRow key={share.category} {...share} onOpen={() => onCategory(share.category)} />
          ))}
          <CategoryRow
            category="useful"
            cost={data.useful_cost}
            share_percent={data.total_cost === 0 ? 0 : (100 * data.useful_cost) / data.total_cost}
            minutes={data.useful_minutes}
            jobs={null}
          />
        </tbody>
      </WideTable>
    </Panel>
  );
}

type RowProps = {
  category: CategoryName | 'useful';
  cost: number;
  share_percent: number;
  minutes: number;
  jobs: number | null;
  onOpen?: () => void;
};

function CategoryRow({ category, cost, share_percent, minutes, jobs, onOpen }: RowProps) {
  const { label, color, about } = categoryShown[category];
  return (
    <tr>
      <th scope="row" style={breaking}>
        <Group gap="sm" wrap="nowrap">
          <ColorSwatch
            size={12}
            color={color}
            withShadow={false}
            aria-hidden="true"
            style={{ flexShrink: 0 }}
          />
          <Box>
            {onOpen && jobs !== 0 ? (
              <Anchor
                component="button"
                type="button"
                size="sm"
                fw={500}
                aria-label={`Workflows with ${label}`}
                onClick={onOpen}
              >
                {label}
              </Anchor>
            ) : (
              label
            )}
            <Text size="xs" c="dimmed" visibleFrom="sm">
              {about}
            </Text>
          </Box>
        </Group>
      </th>
      <td className={keptNumber}>
        <Money amount={cost} />
      </td>
      <td className="number">{share_percent.toFixed(1)}%</td>
      <td className="number">{count(Math.round(minutes))}</td>
      <td className="number">{jobs === null ? '' : count(jobs)}</td>
    </tr>
  );
}
