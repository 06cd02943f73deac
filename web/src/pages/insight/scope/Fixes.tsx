import { Anchor, Skeleton, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import { Failed } from '../../../ui/Failed.tsx';
import { Money } from '../../../ui/Money.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { useWaste, type WastefulWorkflow } from '../waste/queries.ts';

const days = 30;
const shown = 3;
/** It reads every job, and changes slowly. */
const keptFor = 600_000;

type Props = {
  /** Whose waste. */
  of: { repo: string } | { workflow_id: string } | { workflows: readonly string[] };
  isReady: boolean;
};

/** What was wasted, and what would save most. */
export function Fixes({ of, isReady }: Props) {
  const asked = 'workflows' in of ? {} : of;
  const waste = useWaste({ days, per_page: 100, ...asked }, { enabled: isReady, staleTime: keptFor });
  const workflows = (waste.data?.data.workflows ?? []).filter(
    ({ workflow_id: id }) => !('workflows' in of) || of.workflows.includes(id),
  );
  const [wasted, total] =
    'workflows' in of
      ? [sumOf(workflows, 'waste_cost'), sumOf(workflows, 'cost')]
      : [waste.data?.data.waste_cost ?? 0, waste.data?.data.total_cost ?? 0];
  const fixes = workflows
    .flatMap((workflow) => workflow.suggestions.map((fix) => ({ workflow, ...fix })))
    .toSorted((a, b) => b.saving - a.saving)
    .slice(0, shown);
  const search = 'repo' in of ? `&${new URLSearchParams({ repo: of.repo })}` : '';
  return (
    <Panel
      title="Waste"
      aside={
        <Anchor component={Link} href={`/waste?days=${days}${search}`} size="sm">
          All waste
        </Anchor>
      }
    >
      {waste.data === undefined ? (
        waste.error ? (
          <Failed error={waste.error} retry={() => void waste.refetch()} />
        ) : (
          <Skeleton height={160} aria-busy="true" />
        )
      ) : (
        <Stack gap="sm">
          <div>
            <Text fz={21} lh={1.3} fw={700}>
              <Money amount={wasted} />
            </Text>
            <Text size="sm" c="dimmed">
              of <Money amount={total} /> in the last {days} days
            </Text>
          </div>
          {fixes.map(({ workflow, text, saving }) => (
            <Text key={`${workflow.workflow_id} ${text}`} size="sm" style={{ overflowWrap: 'anywhere' }}>
              <b>
                Save up to <Money amount={saving} />
              </b>
              {!('workflow_id' in of) && (
                <>
                  {' '}
                  in{' '}
                  <Anchor
                    component={Link}
                    href={`/workflows/${workflow.workflow_id}`}
                    inherit
                    underline="always"
                  >
                    {workflow.name}
                  </Anchor>
                </>
              )}
              : {text}
            </Text>
          ))}
        </Stack>
      )}
    </Panel>
  );
}

function sumOf(workflows: readonly WastefulWorkflow[], name: 'cost' | 'waste_cost'): number {
  return workflows.reduce((sum, workflow) => sum + workflow[name], 0);
}
