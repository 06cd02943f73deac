import { Stack } from '@mantine/core';
import { type FixesQuery } from '../../../parts/waste/waste.ts';
import { categoryShown, paidCategories, wasteCategory } from '../../../parts/waste/wasteCategories.ts';
import { NamedLink } from '../../../parts/workflows/NamedLink.tsx';
import { moneyColumn, numberColumn } from '../../../ui/cells.tsx';
import type { Column } from '../../../ui/columns.ts';
import { DataTable } from '../../../ui/DataTable.tsx';
import { share } from '../../../ui/figures.ts';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Pager } from '../../../ui/Pager.tsx';
import { CategoryBar } from './CategoryBar.tsx';
import { useWaste, type WastefulWorkflow } from './queries.ts';

type Props = { query: FixesQuery; page: number; onPage: (page: number) => void };

const perPage = 100;

export function WorkflowsTable({ query, page, onPage }: Props) {
  const { compare: _compare, status: _status, category: kind, ...asked } = query;
  const category = wasteCategory(kind ?? null);
  const waste = useWaste({ ...asked, ...(category && { category }), page, per_page: perPage });
  return (
    <Loaded query={waste} height={480}>
      {({ data, pagination }) => (
        <Stack gap="sm" aria-busy={waste.isPlaceholderData}>
          <DataTable
            label="Waste by workflow"
            rows={data.workflows}
            columns={columns}
            keyOf={({ workflow_id: id }) => id}
            hrefOf={({ workflow_id: id }) => `/workflows/${id}`}
            minWidth={560}
            isStacked
            order={{ column: 'Waste', isDescending: true }}
          />
          <Pager pagination={pagination} one="workflow" onPage={onPage} />
        </Stack>
      )}
    </Loaded>
  );
}

const columns: readonly Column<WastefulWorkflow>[] = [
  {
    title: 'Workflow',
    value: ({ name, repository }) => `${name} ${repository}`,
    cell: ({ workflow_id: id, name, repository }) => (
      <NamedLink href={`/workflows/${id}`} workflow={name} note={repository} />
    ),
  },
  moneyColumn('Waste', ({ waste_cost: waste }) => waste, { isMain: true }),
  moneyColumn('Cost', ({ cost }) => cost),
  numberColumn('Share', shareOf, share),
  {
    title: 'Made of',
    className: 'mantine-visible-from-md',
    csv: null,
    cell: ({ categories, waste_cost: waste }) => (
      <CategoryBar categories={categories} total={waste || 1} size={8} />
    ),
  },
  ...paidCategories.map((name) =>
    moneyColumn(categoryShown[name].label, (workflow: WastefulWorkflow) => costOf(workflow, name), {
      className: 'mantine-visible-from-lg',
    }),
  ),
];

function shareOf({ cost, waste_cost: waste }: WastefulWorkflow): number {
  return cost === 0 ? 0 : waste / cost;
}

function costOf({ categories }: WastefulWorkflow, name: string): number {
  return categories.find(({ category }) => category === name)?.cost ?? 0;
}
