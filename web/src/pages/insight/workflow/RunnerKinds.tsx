import { Anchor, Code, Text } from '@mantine/core';
import { Link } from 'wouter';
import { Explained } from '../../../ui/Explained.tsx';
import { count, countOf, share } from '../../../ui/figures.ts';
import { Money } from '../../../ui/Money.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { Columns, keptNumber, WideTable } from '../../../ui/WideTable.tsx';
import type { Workflow } from './queries.ts';

const title = 'Runners';

/** What the workflow has cost on each kind of runner. */
export function RunnerKinds({ workflow: { runner_kinds, total_cost } }: { workflow: Workflow }) {
  if (runner_kinds.length === 0)
    return (
      <Panel title={title}>
        <Text size="sm" c="dimmed">
          No job has completed in these days.
        </Text>
      </Panel>
    );
  return (
    <Panel title={title}>
      <WideTable label={title} minWidth={480}>
        <Columns texts={['Kind']} numbers={['Cost', 'Share', 'Jobs', 'Minutes']} kept="Cost" />
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

/** The kind of a runner, and how its minutes came to cost what they did. */
function Kind({ kind, minutes, cost }: Pick<Workflow['runner_kinds'][number], 'kind' | 'minutes' | 'cost'>) {
  const pricing = (
    <Anchor component={Link} href="/settings/pricing" inherit underline="always">
      Settings, Pricing
    </Anchor>
  );
  if (kind === 'unpriced')
    return (
      <Explained value="no known price, counts as $0" label="Why there is no price">
        <Text inherit>
          Nobody has said what these runners are, so their {countOf(minutes, 'minute')} count as $0. Say it in{' '}
          {pricing}.
        </Text>
      </Explained>
    );
  return (
    <Explained value={<Code>{kind}</Code>} label={`How the cost on ${kind} comes about`}>
      <Text inherit>
        {countOf(minutes, 'billed minute')} for <Money amount={cost} />
        {minutes > 0 && (
          <>
            : <Money amount={cost / minutes} /> a minute on average
          </>
        )}
        . Each job’s minutes are multiplied by the price of this kind of runner on its day; the receipts of a
        run show it job by job. The prices are in {pricing}.
      </Text>
    </Explained>
  );
}
