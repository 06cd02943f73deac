import { Skeleton } from '@mantine/core';
import type { Costs } from '../../../analysis/queries.ts';
import { metrics } from '../../../analysis/words.ts';
import type { Group } from '../../../charts/series.ts';
import { type View } from '../../../parts/costs/costView.ts';
import {
  trendColumn,
  valueColumn,
  changeColumns,
  workflowColumn,
} from '../../../parts/costs/groupColumns.tsx';
import { useMediaQuery } from '../../../ui/browserState.ts';
import { numberColumn } from '../../../ui/cells.tsx';
import type { Column } from '../../../ui/columns.ts';
import { DataTable } from '../../../ui/DataTable.tsx';
import { share } from '../../../ui/figures.ts';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { useTopWorkflows } from './queries.ts';

const title = 'Most expensive workflows';

/** Fewer on phones, because a separate page lists all. */
const rowsOnPhones = 5;

export function TopWorkflows({ view: { question, today, searchOf } }: { view: View }) {
  const query = useTopWorkflows(question, today);
  const isNarrow = useMediaQuery('(width < 48em)');
  return (
    <Panel
      title={title}
      more={{ href: `/explore${searchOf({ ...question, groupBy: ['workflow'] })}`, label: 'All workflows' }}
    >
      <Loaded
        query={query}
        height={340}
        waiting={<Skeleton height={isNarrow ? 56 * rowsOnPhones : 340} aria-busy="true" />}
      >
        {(costs) => (
          <div className={query.isPlaceholderData ? 'is-stale' : undefined}>
            <DataTable
              label={title}
              minWidth={280}
              rows={costs.groups}
              maxRows={isNarrow ? rowsOnPhones : undefined}
              order={{ column: metrics[costs.metric].title, isDescending: true }}
              columns={columnsOf(costs)}
              keyOf={idOf}
              hrefOf={addressOf}
              isStacked
            />
          </div>
        )}
      </Loaded>
    </Panel>
  );
}

const idOf = ({ by: [part] }: Group) => part!.value!;
const addressOf = (group: Group) => `/workflows/${idOf(group)}`;

function columnsOf(costs: Costs): Column<Group>[] {
  return [
    workflowColumn(addressOf),
    valueColumn(costs),
    ...changeColumns(costs),
    numberColumn('Share', (group) => group.share_percent / 100, share, { isHiddenOnPhones: true }),
    trendColumn(costs, 'trend-cell'),
  ];
}
