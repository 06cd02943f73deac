import { Text } from '@mantine/core';
import { count } from '../../../ui/figures.ts';
import { Money } from '../../../ui/Money.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { Trend } from '../../../ui/Trend.tsx';
import { breaking, Columns, keptNumber, WideTable } from '../../../ui/WideTable.tsx';
import type { OwnerCosts, Showback } from './queries.ts';

export function OwnersPanel({ data, kind }: { data: Showback; kind: string }) {
  const { owners, total } = data;
  return (
    <Panel title={`Cost by ${kind.toLowerCase()}`}>
      <WideTable label="Owners" minWidth={640}>
        <Columns
          texts={[kind]}
          numbers={['Cost', 'Share', 'Minutes', 'Jobs', 'Before', 'Change']}
          kept="Cost"
        />
        <tbody>
          {owners.map((each) => (
            <tr key={each.owner ?? ''}>
              <th scope="row" style={breaking}>
                <Text span inherit fs={each.owner === null ? 'italic' : 'normal'}>
                  {each.owner ?? 'Unowned'}
                </Text>
                <Text size="xs" c="dimmed" fw={400}>
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
