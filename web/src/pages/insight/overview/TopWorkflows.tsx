import { Anchor, Skeleton } from '@mantine/core';
import { Link } from 'wouter';
import { Change } from '../../../analysis/Change.tsx';
import { metrics } from '../../../analysis/words.ts';
import { Sparkline } from '../../../charts/Sparkline.tsx';
import { Failed } from '../../../ui/Failed.tsx';
import { Money } from '../../../ui/Money.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { keptNumber, WideTable } from '../../../ui/WideTable.tsx';
import { LinkedHead } from './LinkedHead.tsx';
import { namesOf, useTopWorkflows, type View } from './queries.ts';

const title = 'Most expensive workflows';

export function TopWorkflows({ view: { question, today, searchOf } }: { view: View }) {
  const query = useTopWorkflows(question, today);
  const costs = query.data;
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
          <WideTable label={title} minWidth={280}>
            <thead>
              <tr>
                <th scope="col">Workflow</th>
                <th scope="col" className={keptNumber}>
                  {metrics[costs.metric].title}
                </th>
                {costs.previous_period && (
                  <th scope="col" className="number">
                    Change
                  </th>
                )}
                <th scope="col" className="number wide-only">
                  Share
                </th>
                <th scope="col">Trend</th>
              </tr>
            </thead>
            <tbody>
              {costs.groups.map(({ by: [part], value, previous_value: previous, share_percent, series }) => {
                const { workflow, repository } = namesOf(part!.name);
                return (
                  <tr key={part!.value}>
                    <LinkedHead href={`/workflows/${part!.value}`} {...{ workflow, repository }} />
                    <td className={keptNumber}>
                      <Money amount={value} />
                    </td>
                    {costs.previous_period && (
                      <td className="number">
                        <Change value={value} previous={previous ?? 0} metric={costs.metric} />
                      </td>
                    )}
                    <td className="number wide-only">{share_percent.toFixed(1)}%</td>
                    <td style={{ width: 110, minWidth: 56 }}>
                      <Sparkline values={series.map((day) => day.value)} />
                    </td>
                  </tr>
                );
              })}
            </tbody>
          </WideTable>
        </div>
      ) : query.error ? (
        <Failed error={query.error} retry={() => void query.refetch()} />
      ) : (
        <Skeleton height={340} aria-busy="true" />
      )}
    </Panel>
  );
}
