import { Anchor, Button, Table, Text } from '@mantine/core';
import { Fragment, useState } from 'react';
import { Link } from 'wouter';
import { Money } from '../../shown/Money.tsx';
import { Panel } from '../../shown/Panel.tsx';
import { breaking, WideTable } from '../../shown/WideTable.tsx';
import { categoryShown } from './categories.ts';
import { CategoryBar } from './CategoryBar.tsx';
import type { CategoryName, WastefulWorkflow } from './queries.ts';
import { Suggestions } from './Suggestions.tsx';

const columns = ['rounding', 'failed', 'superseded', 'rerun'] as const;

type Props = {
  workflows: WastefulWorkflow[];
  days: string;
  /** The one that the workflows are listed by; null for all waste. */
  category: CategoryName | null;
  onAll: () => void;
};

/** The workflows with most waste first, each with what to change. */
export function WorkflowsPanel({ workflows, days, category, onAll }: Props) {
  const shown = category === null ? columns : [category];
  return (
    <Panel
      title={category === null ? 'By workflow' : `By workflow: ${categoryShown[category].label}`}
      aside={
        category !== null && (
          <Button variant="default" size="compact-sm" onClick={onAll}>
            All categories
          </Button>
        )
      }
    >
      <WideTable label="Workflows" minWidth={400}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">Workflow</Table.Th>
            <Table.Th scope="col" className="number">
              Cost
            </Table.Th>
            <Table.Th scope="col" className="number">
              Waste
            </Table.Th>
            <Table.Th scope="col" visibleFrom="sm">
              Shares
            </Table.Th>
            {shown.map((name) => (
              <Table.Th
                key={name}
                scope="col"
                className="number"
                {...(category ? {} : { visibleFrom: 'lg' })}
              >
                {categoryShown[name].label}
              </Table.Th>
            ))}
            <Table.Th scope="col">What to change</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {workflows.map((workflow) => (
            <WorkflowRows
              key={workflow.workflow_id}
              workflow={workflow}
              days={days}
              shown={shown}
              isOne={category !== null}
            />
          ))}
        </Table.Tbody>
      </WideTable>
    </Panel>
  );
}

type RowsProps = {
  workflow: WastefulWorkflow;
  days: string;
  /** Categories with a column. */
  shown: readonly CategoryName[];
  isOne: boolean;
};

function WorkflowRows({ workflow, days, shown: categoriesShown, isOne }: RowsProps) {
  const [isOpen, setIsOpen] = useState(false);
  const { categories, suggestions } = workflow;
  const costOf = (name: string) => categories.find(({ category }) => category === name)?.cost ?? 0;
  const shown = `${isOpen ? 'Hide' : 'Show'} ${suggestions.length}`;
  const id = `suggestions-${workflow.workflow_id}`;
  return (
    <Fragment>
      <Table.Tr>
        <Table.Th scope="row" fw={500} style={breaking}>
          <Anchor component={Link} href={`/workflows/${workflow.workflow_id}?days=${days}`} size="sm">
            {workflow.name}
          </Anchor>
          <Text size="xs" c="dimmed">
            {workflow.repository}
          </Text>
        </Table.Th>
        <Table.Td className="number">
          <Money amount={workflow.cost} />
        </Table.Td>
        <Table.Td className="number">
          <Money amount={workflow.waste_cost} />
        </Table.Td>
        <Table.Td miw={110} visibleFrom="sm">
          <CategoryBar categories={categories} usefulCost={workflow.cost - workflow.waste_cost} size={10} />
        </Table.Td>
        {categoriesShown.map((category) => (
          <Table.Td key={category} className="number" {...(isOne ? {} : { visibleFrom: 'lg' })}>
            <Money amount={costOf(category)} />
          </Table.Td>
        ))}
        <Table.Td>
          {suggestions.length === 0 ? (
            <Text size="sm" c="dimmed">
              Nothing worth it
            </Text>
          ) : (
            <Button
              variant="default"
              size="compact-sm"
              aria-expanded={isOpen}
              aria-controls={id}
              aria-label={`${shown} of what to change in ${workflow.name} of ${workflow.repository}`}
              onClick={() => setIsOpen(!isOpen)}
            >
              {shown}
            </Button>
          )}
        </Table.Td>
      </Table.Tr>
      {suggestions.length > 0 && (
        <Table.Tr id={id} hidden={!isOpen}>
          <Table.Td colSpan={5 + categoriesShown.length} style={{ whiteSpace: 'normal' }}>
            {isOpen && (
              <Suggestions of={`${workflow.repository} ${workflow.name}`} suggestions={suggestions} />
            )}
          </Table.Td>
        </Table.Tr>
      )}
    </Fragment>
  );
}
