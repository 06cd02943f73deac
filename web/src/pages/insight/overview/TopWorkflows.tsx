import { Anchor, Skeleton } from '@mantine/core';
import { Link } from 'wouter';
import { ChangeCell } from '../../../analysis/Change.tsx';
import { namesOf } from '../../../analysis/changeWords.ts';
import type { Costs } from '../../../analysis/queries.ts';
import { metrics } from '../../../analysis/words.ts';
import type { Group } from '../../../charts/series.ts';
import { trendOf } from '../../../charts/spans.ts';
import { Sparkline } from '../../../charts/Sparkline.tsx';
import { type View } from '../../../parts/costView.ts';
import { NamedLink } from '../../../parts/NamedLink.tsx';
import { useMediaQuery } from '../../../ui/browserFacts.ts';
import { moneyColumn } from '../../../ui/cells.tsx';
import type { Column } from '../../../ui/columns.ts';
import { DataTable } from '../../../ui/DataTable.tsx';
import { Failed } from '../../../ui/Failed.tsx';
import { share } from '../../../ui/figures.ts';
import { Panel } from '../../../ui/Panel.tsx';
import { useTopWorkflows } from './queries.ts';

const title = 'Most expensive workflows';

/** Fewer on phones, because a separate page lists all. */
const rowsOnPhones = 5;

export function TopWorkflows({ view: { question, today, searchOf } }: { view: View }) {
  const query = useTopWorkflows(question, today);
  const costs = query.data;
  const isNarrow = useMediaQuery('(width < 48em)');
  return (
    <Panel
      title={title}
      aside={
        <Anchor
          component={Link}
          href={`/explore${searchOf({ ...question, groupBy: ['workflow'] })}`}
          size="sm"
        >
          All workflows
        </Anchor>
      }
    >
      {costs ? (
        <div className={query.isPlaceholderData ? 'is-stale' : undefined}>
          <DataTable
            label={title}
            minWidth={280}
            isStacked
            rows={costs.groups}
            maxRows={isNarrow ? rowsOnPhones : undefined}
            order={{ column: metrics[costs.metric].title, isDescending: true }}
            columns={columnsOf(costs)}
            keyOf={idOf}
            hrefOf={addressOf}
          />
        </div>
      ) : query.error ? (
        <Failed error={query.error} retry={() => void query.refetch()} height={440} />
      ) : (
        <Skeleton height={isNarrow ? 56 * rowsOnPhones : 440} aria-busy="true" />
      )}
    </Panel>
  );
}

const idOf = ({ by: [part] }: Group) => part!.value!;
const addressOf = (group: Group) => `/workflows/${idOf(group)}`;

function columnsOf(costs: Costs): Column<Group>[] {
  const { metric, previous_period: compared } = costs;
  const changes: Column<Group> = {
    title: 'Change',
    isNumber: true,
    className: 'row-beside',
    value: ({ value, previous_value: previous }) => value - (previous ?? 0),
    cell: ({ value, previous_value: previous }) => (
      <ChangeCell value={value} metric={metric} previous={previous ?? 0} />
    ),
  };
  return [
    {
      title: 'Workflow',
      value: ({ by: [part] }) => part!.name,
      cell: (group) => {
        const { workflow, repository } = namesOf(group.by[0]!.name);
        return <NamedLink href={addressOf(group)} workflow={workflow} note={repository} />;
      },
    },
    moneyColumn(metrics[metric].title, ({ value }) => value, { isMain: true }),
    ...(compared ? [changes] : []),
    {
      title: 'Share',
      isNumber: true,
      isHiddenOnPhones: true,
      value: ({ share_percent: percent }) => percent,
      cell: ({ share_percent: percent }) => share(percent / 100),
    },
    {
      title: 'Trend',
      isHiddenOnPhones: true,
      className: 'trend-cell',
      cell: ({ series }) => <Sparkline values={trendOf(series, costs)} />,
    },
  ];
}
