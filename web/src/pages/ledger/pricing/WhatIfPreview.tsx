import { Stack, Switch, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { NamedLink, workflowColumn, workflowKey } from '../../../parts/workflows/NamedLink.tsx';
import { moneyColumn, numberColumn } from '../../../ui/cells.tsx';
import type { Column } from '../../../ui/columns.ts';
import { DataTable } from '../../../ui/DataTable.tsx';
import { count, countOf, signed } from '../../../ui/figures.ts';
import { Failed, Loading } from '../../../ui/Loaded.tsx';
import { Money } from '../../../ui/text.tsx';
import { errorOf } from '../../../ui/useChange.ts';
import { type WhatIfBody, whatIfQuery } from './queries.ts';
import { differenceInWords, feeInWords } from './words.ts';

const typingPauseMilliseconds = 400;
const shownWorkflows = 8;
const height = 180;

export function WhatIfPreviewWithFee({ proposal }: { proposal: NonNullable<WhatIfBody> }) {
  const [isWithFee, setIsWithFee] = useState(false);
  return (
    <Stack gap="xs">
      <Switch
        label="Include a fee for self-hosted runners"
        description={feeInWords}
        checked={isWithFee}
        onChange={(event) => setIsWithFee(event.currentTarget.checked)}
      />
      <WhatIfPreview proposal={isWithFee ? { ...proposal, scenario: 'self_hosted_fee' } : proposal} />
    </Stack>
  );
}

export function WhatIfPreview({ proposal }: { proposal: WhatIfBody }) {
  const [asked] = useDebouncedValue(JSON.stringify(proposal), typingPauseMilliseconds);
  const query = useQuery(whatIfQuery(JSON.parse(asked) as WhatIfBody));
  const ruleProblem = errorOf(query.error, 'rules');
  if (ruleProblem) {
    return (
      <Text size="sm" mih={height} role="status">
        No preview: the rule {ruleProblem}.
      </Text>
    );
  }
  if (query.error) return <Failed error={query.error} retry={() => void query.refetch()} />;
  if (!query.data) return <Loading height={height} />;
  const { total, workflows, period, workflow_count: workflowCount } = query.data;
  const changed = workflows.filter(({ change }) => change !== 0);
  const isRecordedOtherwise = total.cost_now !== total.cost_current;
  const isBehind = asked !== JSON.stringify(proposal) || query.isPlaceholderData;
  return (
    <Stack gap="xs" mih={height} aria-busy={isBehind} opacity={isBehind ? 0.6 : 1}>
      <Text size="sm" role="status">
        At current prices, the {countOf(total.jobs, 'job')} of the last {countOf(period.days, 'day')} cost{' '}
        <Money amount={total.cost_current} />. With the change, they would cost{' '}
        <Money amount={total.cost_then} />: <b>{differenceInWords(total.change)}</b>.
        {isRecordedOtherwise && (
          <>
            {' '}
            They are recorded at <Money amount={total.cost_now} />, because other prices applied.
          </>
        )}
        {unpricedInWords(total.unpriced_minutes_now, total.unpriced_minutes_then)}
      </Text>
      {changed.length > 0 && (
        <DataTable
          isStacked
          label="What would change, by workflow"
          minWidth={480}
          maxRows={shownWorkflows}
          rows={changed}
          keyOf={workflowKey}
          columns={columns}
        />
      )}
      {workflowCount > 0 && changed.length > shownWorkflows && (
        <Text size="sm">and {countOf(changed.length - shownWorkflows, 'other workflow')}.</Text>
      )}
    </Stack>
  );
}

function unpricedInWords(now: number, then: number): string {
  if (now === then) return now === 0 ? '' : ` Unpriced either way: ${countOf(now, 'minute')}.`;
  return ` Unpriced minutes: ${count(now)} now, ${count(then)} with the change.`;
}

const columns: Column<
  Awaited<ReturnType<NonNullable<ReturnType<typeof whatIfQuery>['queryFn']>>>['workflows'][number]
>[] = [
  {
    ...workflowColumn,
    // A link would leave the form.
    cell: ({ workflow_name: name, repo_name: repository }) => (
      <NamedLink href={null} workflow={name} note={repository} />
    ),
  },
  moneyColumn('Now', ({ cost_current: cost }) => cost),
  moneyColumn('With change', ({ cost_then: cost }) => cost),
  numberColumn('Difference', ({ change }) => change, signed, { isMain: true }),
];
