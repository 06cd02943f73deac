import { Anchor, Code, Text } from '@mantine/core';
import { Link } from 'wouter';
import { Explained } from '../../../ui/Explained.tsx';
import { count, countOf, share } from '../../../ui/figures.ts';
import { Money } from '../../../ui/Money.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { Columns, keptNumber, WideTable } from '../../../ui/WideTable.tsx';
import type { Workflow } from './queries.ts';

const title = 'Runners';

export function RunnerKinds({ workflow: { runner_kinds, total_cost } }: { workflow: Workflow }) {
  if (runner_kinds.length === 0)
    return (
      <Panel title={title}>
        <Text size="sm" c="dimmed">
          No completed jobs in this period.
        </Text>
      </Panel>
    );
  return (
    <Panel title={title}>
      <WideTable label={title} minWidth={480}>
        <Columns texts={['Runner']} numbers={['Cost', 'Share', 'Jobs', 'Minutes']} kept="Cost" />
        <tbody>
          {runner_kinds.map(({ kind, jobs, minutes, cost }) => (
            <tr key={kind}>
              <th scope="row">
                <Kind kind={kind} minutes={minutes} cost={cost} />
              </th>
              <td className={keptNumber}>
                <Money amount={cost} />
              </td>
              <td className="number">{total_cost > 0 ? share(cost / total_cost) : '–'}</td>
              <td className="number">{count(jobs)}</td>
              <td className="number">{count(minutes)}</td>
            </tr>
          ))}
        </tbody>
      </WideTable>
    </Panel>
  );
}

function Kind({ kind, minutes, cost }: Pick<Workflow['runner_kinds'][number], 'kind' | 'minutes' | 'cost'>) {
  const pricing = (
    <Anchor component={Link} href="/settings/pricing" inherit underline="always">
      Settings, Pricing
    </Anchor>
  );
  if (kind === 'unpriced')
    return (
      <Explained value="Unpriced, counts as $0" label="Why there is no price">
        <Text inherit>
          No price matches these runners, so their {countOf(minutes, 'minute')} count as $0. Set a price in{' '}
          {pricing}.
        </Text>
      </Explained>
    );
  return (
    <Explained value={<Code>{kind}</Code>} label={`How the cost on ${kind} is calculated`}>
      <Text inherit>
        {countOf(minutes, 'billed minute')} for <Money amount={cost} />
        {minutes > 0 && (
          <>
            , <Money amount={cost / minutes} /> per minute on average
          </>
        )}
        . We multiply each job’s minutes by the runner’s rate on that day. Open a run to see the receipt of
        each job. The rates are in {pricing}.
      </Text>
    </Explained>
  );
}
