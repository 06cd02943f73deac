import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { workflowColumn, workflowKey } from '../../../parts/workflows/NamedLink.tsx';
import { countColumn, moneyColumn } from '../../../ui/cells.tsx';
import type { Column } from '../../../ui/columns.ts';
import { DataTable } from '../../../ui/DataTable.tsx';
import { countOf } from '../../../ui/figures.ts';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Money, Note } from '../../../ui/text.tsx';
import { ChangeablePanel } from './ChangeablePanel.tsx';
import { shadowQuery, shadowRatesQuery, type Shadow } from './queries.ts';
import { ShadowForm } from './ShadowForm.tsx';

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

const columns: Column<Shadow['workflows'][number]>[] = [
  workflowColumn,
  countColumn('Minutes', ({ minutes }) => minutes),
  moneyColumn('Shadow cost', ({ shadow_cost: cost }) => cost, { isMain: true }),
];

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
      <DataTable
        isStacked
        label="Shadow costs by workflow"
        minWidth={420}
        maxRows={shownWorkflows}
        rows={workflows}
        keyOf={workflowKey}
        columns={columns}
      />
      {workflows.length > shownWorkflows && (
        <Text size="sm">and {countOf(workflows.length - shownWorkflows, 'other workflow')}.</Text>
      )}
    </Stack>
  );
}
