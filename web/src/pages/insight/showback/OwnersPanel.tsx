import { Anchor, Text } from '@mantine/core';
import { Link } from 'wouter';
import { initial, literal, parametersOf } from '../../../analysis/question.ts';
import { rangeOf } from '../../../analysis/ranges.ts';
import { metrics } from '../../../analysis/words.ts';
import { count } from '../../../ui/figures.ts';
import { Money } from '../../../ui/Money.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { Trend } from '../../../ui/Trend.tsx';
import { breaking, Columns, keptNumber, WideTable } from '../../../ui/WideTable.tsx';
import type { OwnerCosts, Showback } from './queries.ts';

export function OwnersPanel({ data, kind }: { data: Showback; kind: string }) {
  const { owners, total, metric } = data;
  const cost = metrics[metric].title;
  return (
    <Panel title={`${cost} by ${kind.toLowerCase()}`}>
      <WideTable label="Owners" minWidth={640}>
        <Columns
          texts={[kind]}
          numbers={[cost, 'Share', 'Billed minutes', 'Jobs', 'Previous period', 'Change']}
          kept={cost}
        />
        <tbody>
          {owners.map((each) => (
            <tr key={each.owner ?? ''}>
              <th scope="row" style={breaking}>
                <Anchor component={Link} href={exploreAddress(data, each)} size="sm">
                  {each.name}
                </Anchor>
                <Text size="xs" c="dimmed" fw={400} maw={{ base: 200, sm: 'none' }}>
                  {repositoriesText(each)}
                </Text>
              </th>
              <Cells sums={each} share={each.share_percent} />
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">Total</th>
            <Cells sums={total} share={total.cost === 0 ? 0 : 100} />
          </tr>
        </tfoot>
      </WideTable>
    </Panel>
  );
}

/** What the owner's cost is made of. */
function exploreAddress({ by, metric, period }: Showback, { owner }: OwnerCosts): string {
  const today = new Date().toISOString().slice(0, 10);
  const question = {
    ...initial,
    metric,
    range: rangeOf({ from: period.start, to: period.end }, today),
    filters: [{ dimension: by, isNot: false, values: [literal(owner)] }],
  };
  return `/explore?${parametersOf(question)}`;
}

type Sums = Pick<Showback['total'], 'cost' | 'minutes' | 'jobs' | 'previous_cost' | 'change_percent'>;

function Cells({ sums, share }: { sums: Sums; share: number }) {
  return (
    <>
      <td className={keptNumber}>
        <Money amount={sums.cost} />
      </td>
      <td className="number">{share.toFixed(1)}%</td>
      <td className="number">{count(sums.minutes)}</td>
      <td className="number">{count(sums.jobs)}</td>
      <td className="number">
        <Money amount={sums.previous_cost} />
      </td>
      <td className="number">
        {sums.change_percent === null ? 'new' : <Trend percent={sums.change_percent} isCost />}
      </td>
    </>
  );
}

function repositoriesText({ repositories, other_repositories: others }: OwnerCosts): string {
  const names = repositories.map(({ repository }) => repository).join(', ');
  return others === 0 ? names : `${names} and ${count(others)} more`;
}
