import { Box, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { ChangeCell } from '../../analysis/Change.tsx';
import { granularityOf, type Question } from '../../analysis/question.ts';
import { rangeOf } from '../../analysis/ranges.ts';
import { metrics } from '../../analysis/words.ts';
import { PercentBar } from '../../charts/PercentBar.tsx';
import { trendOf } from '../../charts/spans.ts';
import { Sparkline } from '../../charts/Sparkline.tsx';
import type { Column, Order } from '../../ui/columns.ts';
import { DataTable } from '../../ui/DataTable.tsx';
import { count, countOf, share, typicalDuration } from '../../ui/figures.ts';
import { InText, Money, Note, RowLink, TextLink, When } from '../../ui/text.tsx';
import { repositoryAddress } from '../../ui/useAddress.ts';
import { costsNothing, type ListedWorkflow, type WorkflowList } from './workflows.ts';

export type WasteColumn = { byWorkflow: ReadonlyMap<string, number | null>; total: number | null } | null;

type Props = {
  list: WorkflowList;
  question: Question;
  today: string;
  /** Undefined hides the column. */
  waste: WasteColumn | undefined;
  /** Whether each workflow with billed minutes has unpriced ones; null if that is not known. */
  unpriced: ReadonlyMap<string | null, boolean> | null;
  isFiltered: boolean;
  order: Order;
  hrefOf: (workflow: ListedWorkflow) => string;
  /** Whether all workflows belong to one repository, which then need not be named. */
  isOfOne?: boolean;
  onOrder: (order: Order) => void;
};

type Figures = Omit<WorkflowList['total'], 'workflows'>;

export function WorkflowsTable(given: Props) {
  const { list, question, today, waste, unpriced, isFiltered, hrefOf, isOfOne, ...props } = given;
  const { data, total } = list;
  const number = (title: string, sort: string, of: (figures: Figures) => ReactNode) => ({
    title,
    sort,
    isNumber: true,
    cell: of,
    total: of(total),
  });
  const changeOf = ({ cost, previous_cost: previous }: Figures) =>
    previous !== null && <ChangeCell value={cost} previous={previous} metric={question.metric} />;
  const changes: Column<ListedWorkflow> = {
    ...number('Change', 'change', changeOf),
    className: 'row-beside',
  };
  // While the list of other days loads, the period is that of the shown list.
  const { start: from, end: to } = list.period;
  const granularity = granularityOf({ ...question, range: rangeOf({ from, to }, today) }, today);
  const trend = ({ series }: Pick<Figures, 'series'>) => (
    <Sparkline
      values={trendOf(
        series.map(({ start, cost: value }) => ({ start, value })),
        { granularity, period: list.period },
      )}
    />
  );
  const columns: Column<ListedWorkflow>[] = [
    {
      title: 'Workflow',
      sort: 'name',
      cell: (workflow) => <Name workflow={workflow} isOfOne={isOfOne} href={hrefOf(workflow)} />,
      total: countOf(total.workflows, isFiltered ? 'matching workflow' : 'workflow'),
    },
    {
      ...number(metrics[question.metric].title, 'cost', ({ cost }) => <Money amount={cost} />),
      cell: (workflow) => whyNothing(workflow, unpriced) ?? <Money amount={workflow.cost} />,
      isMain: true,
    },
    ...(list.previous_period ? [changes] : []),
    {
      title: 'Share',
      sort: 'share',
      isNumber: true,
      isHiddenOnPhones: true,
      className: 'list-share',
      cell: ({ share_percent: percent }) => <PercentBar percent={percent} />,
    },
    {
      title: 'Trend',
      isHiddenOnPhones: true,
      className: 'list-trend',
      cell: trend,
      total: trend(total),
    },
    { ...number('Runs', 'runs', ({ runs }) => known(runs, count)), isHiddenOnPhones: true },
    {
      ...number('Success', 'success_rate', ({ success_rate: rate }) => known(rate, share)),
      isHiddenOnPhones: true,
    },
    ...(['p50', 'p95'] as const).map((name) => ({
      ...number(name, `duration_${name}`, (figures) =>
        known(figures[`duration_${name}_seconds`], typicalDuration),
      ),
      className: 'row-labeled',
      isHiddenOnPhones: name === 'p50',
    })),
  ];
  if (waste !== undefined) columns.push(wasteColumn(waste));
  columns.push({
    ...number('Last run', 'last_run', ({ last_run_at: at }) => <When at={at} />),
    total: null,
    isHiddenOnPhones: true,
  });
  return (
    <DataTable
      label="Workflows"
      minWidth={980}
      rows={data}
      columns={columns}
      keyOf={({ workflow_id: id }) => id}
      hrefOf={hrefOf}
      {...props}
      isStacked
    />
  );
}

function wasteColumn(waste: WasteColumn): Column<ListedWorkflow> {
  return {
    title: 'Waste',
    sort: 'waste',
    isNumber: true,
    className: 'row-labeled',
    cell: ({ workflow_id: id }) => (
      <Waste amount={waste && (waste.byWorkflow.get(id) ?? null)} waste={waste} />
    ),
    total:
      waste === null ? (
        <Note span size="xs">
          adding up…
        </Note>
      ) : (
        <Waste amount={waste.total} waste={waste} />
      ),
  };
}

function known<T>(value: T | null, shown: (value: T) => ReactNode): ReactNode {
  return value === null ? '–' : shown(value);
}

type WasteProps = { amount: number | null; waste: WasteColumn };

function Waste({ amount, waste }: WasteProps) {
  // A note below explains missing amounts once; a mark in each row would look like many errors.
  if (waste === null) return <Box h={10} w={48} ml="auto" aria-busy="true" />;
  return amount === null ? '–' : <Money amount={amount} />;
}

function whyNothing(workflow: ListedWorkflow, unpriced: Props['unpriced']): ReactNode {
  const isUnpriced = unpriced?.get(workflow.workflow_id);
  if (isUnpriced === undefined || !costsNothing(workflow)) return null;
  if (!isUnpriced)
    return (
      <Text span inherit c="dimmed">
        Free
      </Text>
    );
  return <InText href="/settings/pricing">Unpriced</InText>;
}

type NameProps = { workflow: ListedWorkflow; href: string; isOfOne: boolean | undefined };

function Name({ workflow, href, isOfOne = false }: NameProps) {
  const { repo_name: repository } = workflow;
  const at = repository.lastIndexOf('/') + 1;
  const search = href.slice(`/workflows/${workflow.workflow_id}`.length);
  return (
    <>
      <RowLink href={href}>
        {workflow.workflow_name}
        {workflow.last_run_conclusion === 'failure' && (
          <Text span size="xs" fw={400} className="last-failed">
            <span className="mantine-visible-from-sm">last run </span>failed
          </Text>
        )}
      </RowLink>
      {!isOfOne && (
        <TextLink
          href={repositoryAddress(repository) + search}
          display="block"
          size="sm"
          c="inherit"
          fw={400}
          className="row-note"
        >
          <Text span inherit c="dimmed" className="mantine-visible-from-sm">
            {repository.slice(0, at)}
          </Text>
          {repository.slice(at)}
        </TextLink>
      )}
    </>
  );
}
