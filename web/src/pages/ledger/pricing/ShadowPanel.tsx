import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { count, countOf } from '../../../ui/figures.ts';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Money, Note } from '../../../ui/text.tsx';
import { Columns, WideTable } from '../../../ui/WideTable.tsx';
import { ChangeablePanel } from './ChangeablePanel.tsx';
import { shadowQuery, shadowRatesQuery, type Shadow } from './queries.ts';
import { ShadowForm } from './ShadowForm.tsx';
import { WorkflowHead } from './WhatIfPreview.tsx';

const days = 30;
const shownWorkflows = 10;

export function ShadowPanel({ reason }: { reason: string | null }) {
  const shadow = useQuery(shadowQuery(days));
  const rates = useQuery(shadowRatesQuery);
  return (
    <ChangeablePanel
      title="Shadow costs"
      label="Set rates"
      reason={reason}
      form={(close) => rates.data && <ShadowForm rates={rates.data} onClose={close} />}
    >
      <Note>
        What self-hosted and third-party runners cost at your own rates, over the last {days} days. Shadow
        costs are not part of any other cost or budget.
      </Note>
      <Loaded query={shadow} height={140}>
        {(found) => <ShadowFigures found={found} />}
      </Loaded>
    </ChangeablePanel>
  );
}

function ShadowFigures({ found }: { found: Shadow }) {
  const { total, workflows, runner_kinds: kinds } = found;
  if (total.minutes === 0) {
    return <Text size="sm">No jobs ran on self-hosted or third-party runners in this period.</Text>;
  }
  if (total.unrated_minutes === total.minutes) {
    return (
      <Text size="sm" role="status">
        No rate yet for {countOf(total.minutes, 'minute')} (
        {kinds.map(({ title }) => title.toLowerCase()).join(', ')}).
      </Text>
    );
  }
  return (
    <Stack gap="sm">
      <Text size="sm" role="status">
        {countOf(total.minutes, 'minute')} ({kinds.map(({ title }) => title.toLowerCase()).join(', ')}) cost{' '}
        <b>
          <Money amount={total.shadow_cost} />
        </b>
        .{total.unrated_minutes > 0 && ` Without a rate: ${countOf(total.unrated_minutes, 'minute')}.`}
      </Text>
      <WideTable keepsLast label="Shadow costs by workflow" minWidth={420}>
        <Columns texts={['Workflow']} numbers={['Minutes', 'Shadow cost']} />
        <tbody>
          {workflows.slice(0, shownWorkflows).map((each) => (
            <tr key={each.workflow_id}>
              <WorkflowHead name={each.workflow_name} repository={each.repo_name} />
              <td className="number">{count(each.minutes)}</td>
              <td className="number">
                <Money amount={each.shadow_cost} />
              </td>
            </tr>
          ))}
        </tbody>
      </WideTable>
      {workflows.length > shownWorkflows && (
        <Text size="sm">and {countOf(workflows.length - shownWorkflows, 'other workflow')}.</Text>
      )}
    </Stack>
  );
}
