import { Anchor, Button, Text } from '@mantine/core';
import { Fragment, useState } from 'react';
import { Link } from 'wouter';
import { Money } from '../../../ui/Money.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { breaking, keptNumber, WideTable } from '../../../ui/WideTable.tsx';
import { categoryShown } from './categories.ts';
import { CategoryBar } from './CategoryBar.tsx';
import type { CategoryName, WastefulWorkflow } from './queries.ts';
import { Suggestions } from './Suggestions.tsx';

const columns = ['rounding', 'failed', 'superseded', 'rerun'] as const;

/** Several category columns need a wide screen. The bar shows their shares on any screen. */
const cellClass = (isOne: boolean): string => (isOne ? 'number' : 'number mantine-visible-from-lg');

type Props = {
  workflows: WastefulWorkflow[];
  days: string;
  category: CategoryName | null;
  onAll: () => void;
};

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
        <thead>
          <tr>
            <th scope="col">Workflow</th>
            <th scope="col" className="number">
              Cost
            </th>
            <th scope="col" className={keptNumber}>
              Waste
            </th>
            <th scope="col" className="mantine-visible-from-sm">
              Shares
            </th>
            {shown.map((name) => (
              <th key={name} scope="col" className={cellClass(category !== null)}>
                {categoryShown[name].label}
              </th>
            ))}
            <th scope="col">What to change</th>
          </tr>
        </thead>
        <tbody>
          {workflows.map((workflow) => (
            <WorkflowRows
              key={workflow.workflow_id}
              workflow={workflow}
              days={days}
              shown={shown}
              isOne={category !== null}
            />
          ))}
        </tbody>
      </WideTable>
    </Panel>
  );
}

type RowsProps = {
  workflow: WastefulWorkflow;
  days: string;
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
      <tr>
        <th scope="row" style={breaking}>
          <Anchor component={Link} href={`/workflows/${workflow.workflow_id}?days=${days}`} size="sm">
            {workflow.name}
          </Anchor>
          <Text size="xs" c="dimmed">
            {workflow.repository}
          </Text>
        </th>
        <td className="number">
          <Money amount={workflow.cost} />
        </td>
        <td className={keptNumber}>
          <Money amount={workflow.waste_cost} />
        </td>
        <td style={{ minWidth: 110 }} className="mantine-visible-from-sm">
          <CategoryBar categories={categories} usefulCost={workflow.cost - workflow.waste_cost} size={10} />
        </td>
        {categoriesShown.map((category) => (
          <td key={category} className={cellClass(isOne)}>
            <Money amount={costOf(category)} />
          </td>
        ))}
        <td>
          {suggestions.length === 0 ? (
            <Text size="sm" c="dimmed">
              No suggestions
            </Text>
          ) : (
            <Button
              variant="default"
              size="compact-sm"
              aria-expanded={isOpen}
              aria-controls={id}
              aria-label={`${shown} suggestions for ${workflow.name} in ${workflow.repository}`}
              onClick={() => setIsOpen(!isOpen)}
            >
              {shown}
            </Button>
          )}
        </td>
      </tr>
      {suggestions.length > 0 && (
        <tr id={id} hidden={!isOpen}>
          <td colSpan={5 + categoriesShown.length} style={{ whiteSpace: 'normal' }}>
            {isOpen && (
              <Suggestions of={`${workflow.repository} ${workflow.name}`} suggestions={suggestions} />
            )}
          </td>
        </tr>
      )}
    </Fragment>
  );
}
