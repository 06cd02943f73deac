import { Skeleton } from '@mantine/core';
import { namesOf } from '../../../analysis/changeWords.ts';
import type { Costs } from '../../../analysis/queries.ts';
import { metrics } from '../../../analysis/words.ts';
import type { Group } from '../../../charts/series.ts';
import { type View } from '../../../parts/costs/costView.ts';
import { changeColumns, trendColumn, valueColumn } from '../../../parts/costs/groupColumns.tsx';
import { NamedLink } from '../../../parts/workflows/NamedLink.tsx';
import { useMediaQuery } from '../../../ui/browserFacts.ts';
import type { Column } from '../../../ui/columns.ts';
import { DataTable } from '../../../ui/DataTable.tsx';
import { Failed } from '../../../ui/Failed.tsx';
import { share } from '../../../ui/figures.ts';
import { Panel } from '../../../ui/Panel.tsx';
import { TextLink } from '../../../ui/TextLink.tsx';
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
        <TextLink href={`/explore${searchOf({ ...question, groupBy: ['workflow'] })}`} size="sm">
          All workflows
        </TextLink>
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
  return [
    {
      title: 'Workflow',
      value: ({ by: [part] }) => part!.name,
      cell: (group) => {
        const { workflow, repository } = namesOf(group.by[0]!.name);
        return <NamedLink href={addressOf(group)} workflow={workflow} note={repository} />;
      },
    },
    valueColumn(costs),
    ...changeColumns(costs),
    {
      title: 'Share',
      isNumber: true,
      isHiddenOnPhones: true,
      value: ({ share_percent: percent }) => percent,
      cell: ({ share_percent: percent }) => share(percent / 100),
    },
    trendColumn(costs, 'trend-cell'),
  ];
}
