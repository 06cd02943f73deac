import { Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Empty } from '../../../shown/Empty.tsx';
import { count, countOf } from '../../../shown/figures.ts';
import { Loaded } from '../../../shown/Loaded.tsx';
import { Money } from '../../../shown/Money.tsx';
import { Panel } from '../../../shown/Panel.tsx';
import { AllowedButton } from '../../../shown/rights.tsx';
import { breaking, Columns, WideTable } from '../../../shown/WideTable.tsx';
import { shadowQuery, shadowRatesQuery, type Shadow } from './queries.ts';
import { ShadowForm } from './ShadowForm.tsx';

const days = 30;
const shownWorkflows = 10;

/** What runners that nobody bills come to at rates of the organization's own. */
export function ShadowPanel({ reason }: { reason: string | null }) {
  const shadow = useQuery(shadowQuery(days));
  const rates = useQuery(shadowRatesQuery);
  const [isChanging, setIsChanging] = useState(false);
  return (
    <Panel
      title="Shadow costs"
      aside={
        <AllowedButton
          size="compact-md"
          variant="default"
          reason={reason}
          onClick={() => setIsChanging(true)}
        >
          Set the rates
        </AllowedButton>
      }
    >
      <Text size="sm" c="dimmed">
        What your own runners, and those of other companies, come to at rates that you reckon with, over the
        last {days} days. Nobody bills it here, and it is part of no cost and no budget.
      </Text>
      <Loaded query={shadow} height={140}>
        {(found) => <ShadowFigures found={found} />}
      </Loaded>
      {isChanging && rates.data && <ShadowForm rates={rates.data} onClose={() => setIsChanging(false)} />}
    </Panel>
  );
}

function ShadowFigures({ found }: { found: Shadow }) {
  const { total, workflows, runner_kinds: kinds } = found;
  if (total.minutes === 0) {
    return <Empty title="No such runners">No job ran on a runner that nobody bills in these days.</Empty>;
  }
  return (
    <Stack gap="sm">
      <Text size="sm" role="status">
        {countOf(total.minutes, 'minute')} ({kinds.map(({ title }) => title.toLowerCase()).join(', ')}) come
        to{' '}
        <b>
          <Money amount={total.shadow_cost} />
        </b>
        {total.unrated_minutes > 0 && `; ${countOf(total.unrated_minutes, 'minute')} of these have no rate`}.
      </Text>
      <WideTable label="Shadow costs by workflow" minWidth={420} fz="sm">
        <Columns texts={['Workflow']} numbers={['Minutes', 'Shadow cost']} />
        <Table.Tbody>
          {workflows.slice(0, shownWorkflows).map((each) => (
            <Table.Tr key={each.workflow_id}>
              <Table.Th scope="row" fw={400} style={breaking}>
                {each.workflow_name}{' '}
                <Text span size="sm" c="dimmed">
                  {each.repo_name}
                </Text>
              </Table.Th>
              <Table.Td className="number">{count(each.minutes)}</Table.Td>
              <Table.Td className="number">
                <Money amount={each.shadow_cost} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </WideTable>
      {workflows.length > shownWorkflows && (
        <Text size="sm">and {countOf(workflows.length - shownWorkflows, 'other workflow')}.</Text>
      )}
    </Stack>
  );
}
