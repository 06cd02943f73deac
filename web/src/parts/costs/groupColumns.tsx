import { ChangeCell } from '../../analysis/Change.tsx';
import { namesOf } from '../../analysis/changeWords.ts';
import type { Costs } from '../../analysis/queries.ts';
import { metrics } from '../../analysis/words.ts';
import { PercentBar } from '../../charts/PercentBar.tsx';
import type { Group } from '../../charts/series.ts';
import { trendOf } from '../../charts/spans.ts';
import { Sparkline } from '../../charts/Sparkline.tsx';
import { moneyColumn } from '../../ui/cells.tsx';
import type { Column } from '../../ui/columns.ts';
import { Money } from '../../ui/text.tsx';
import { NamedLink } from '../workflows/NamedLink.tsx';

type Options = { hasTotal?: boolean };

export const valueColumn = ({ metric, total }: Costs, { hasTotal = false }: Options = {}): Column<Group> =>
  moneyColumn(metrics[metric].title, ({ value }) => value, {
    isMain: true,
    ...(hasTotal && { total: <Money amount={total.value} /> }),
  });

/** The change from the previous period; no column if there is none. */
export function changeColumns(costs: Costs, { hasTotal = false }: Options = {}): Column<Group>[] {
  const { metric, previous_period: compared, total } = costs;
  if (!compared) return [];
  const cell = ({ value, previous_value: previous }: Pick<Group, 'value' | 'previous_value'>) => (
    <ChangeCell value={value} metric={metric} previous={previous ?? 0} />
  );
  return [
    {
      title: 'Change',
      isNumber: true,
      className: 'row-beside',
      value: ({ value, previous_value: previous }) => value - (previous ?? 0),
      cell,
      ...(hasTotal && { total: cell(total) }),
    },
  ];
}

export const percentColumn: Column<Group> = {
  title: 'Share',
  isNumber: true,
  isHiddenOnPhones: true,
  className: 'list-share',
  value: ({ share_percent: percent }) => percent,
  cell: ({ share_percent: percent }) => <PercentBar percent={percent} />,
};

export const trendColumn = (costs: Costs, className: string): Column<Group> => ({
  title: 'Trend',
  isHiddenOnPhones: true,
  className,
  cell: ({ series }) => <Sparkline values={trendOf(series, costs)} />,
});

/** The workflow of a group, with its repository below. */
export const workflowColumn = <Row extends Pick<Group, 'by'>>(hrefOf: (row: Row) => string): Column<Row> => ({
  title: 'Workflow',
  value: ({ by: [part] }) => part!.name,
  cell: (row) => {
    const { workflow, repository } = namesOf(row.by[0]!.name);
    return <NamedLink href={hrefOf(row)} workflow={workflow} note={repository} />;
  },
});
