import { Anchor, Text, UnstyledButton } from '@mantine/core';
import { Link } from 'wouter';
import { count, countOf, duration, share } from '../../../ui/figures.ts';
import { Money } from '../../../ui/Money.tsx';
import { SortedColumn } from '../../../ui/SortedColumn.tsx';
import { When } from '../../../ui/When.tsx';
import { breaking, keptNumber, WideTable } from '../../../ui/WideTable.tsx';
import type { Filter, Sort } from './filter.ts';
import type { ListedWorkflow } from './queries.ts';

type Totals = { total_workflows: number; total_cost: number; total_runs: number; avg_success_rate: number };

type Props = {
  workflows: ListedWorkflow[];
  totals: Totals | undefined;
  filter: Filter;
  onSort: (column: Sort) => void;
  onRepository: (repository: string) => void;
};

export function WorkflowsTable({ workflows, totals, filter, onSort, onRepository }: Props) {
  const column = (name: Sort, label: string, className = 'number') => (
    <SortedColumn
      label={label}
      className={className}
      order={filter.sortBy === name ? filter.sortOrder : null}
      onSort={() => onSort(name)}
    />
  );
  return (
    <WideTable label="Workflows" minWidth={760}>
      <thead>
        <tr>
          {column('name', 'Workflow', '')}
          <th scope="col" className="mantine-visible-from-sm">
            Repository
          </th>
          {column('cost', 'Cost', keptNumber)}
          {column('runs', 'Runs')}
          {column('success_rate', 'Success rate')}
          {column('duration', 'Average duration')}
          {column('last_run', 'Last run')}
        </tr>
      </thead>
      <tbody>
        {workflows.map((workflow) => (
          <WorkflowRow
            key={workflow.workflow_id}
            workflow={workflow}
            days={filter.days}
            onRepository={onRepository}
          />
        ))}
      </tbody>
      <TotalRow totals={totals} filter={filter} />
    </WideTable>
  );
}

type RowProps = { workflow: ListedWorkflow; days: string } & Pick<Props, 'onRepository'>;

function WorkflowRow({ workflow, days, onRepository }: RowProps) {
  return (
    <tr>
      <th scope="row" style={breaking}>
        <Anchor component={Link} href={`/workflows/${workflow.workflow_id}?days=${days}`} size="sm">
          {workflow.workflow_name}
        </Anchor>
        <Text size="xs" c="dimmed" hiddenFrom="sm">
          {workflow.repo_name}
        </Text>
      </th>
      <td style={breaking} className="mantine-visible-from-sm">
        <UnstyledButton
          className="row-link"
          fz="sm"
          aria-label={`Show only ${workflow.repo_name}`}
          onClick={() => onRepository(workflow.repo_name)}
        >
          {workflow.repo_name}
        </UnstyledButton>
      </td>
      <td className={keptNumber}>
        <Money amount={workflow.total_cost} />
      </td>
      <td className="number">{count(workflow.total_runs)}</td>
      <td className="number">{share(workflow.success_rate)}</td>
      <td className="number">{duration(workflow.avg_duration_seconds)}</td>
      <td className="number">
        <When at={workflow.last_run_at} />
      </td>
    </tr>
  );
}

/** Sums all matching workflows on all pages. It keeps its height while they load. */
function TotalRow({ totals, filter: { days, isNarrowed } }: Pick<Props, 'totals' | 'filter'>) {
  return (
    <tfoot>
      <tr>
        <th scope="row">
          {totals
            ? countOf(totals.total_workflows, isNarrowed ? 'matching workflow' : 'workflow')
            : 'Workflows'}
          <Text size="xs" fw={400} c="dimmed">
            last {days} days
          </Text>
        </th>
        <td className="mantine-visible-from-sm" />
        <th className={keptNumber}>{totals ? <Money amount={totals.total_cost} /> : '–'}</th>
        <th className="number">{totals ? count(totals.total_runs) : '–'}</th>
        <th className="number">{totals ? share(totals.avg_success_rate) : '–'}</th>
        <td colSpan={2} />
      </tr>
    </tfoot>
  );
}
