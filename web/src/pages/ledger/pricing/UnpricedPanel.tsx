import { Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { repricesKey } from '../../../api/queries.ts';
import { useRefreshAtTheEnd } from '../../../parts/pricing/useRefreshAtTheEnd.ts';
import { numberColumn, shownColumn, textColumn } from '../../../ui/cells.tsx';
import type { Column } from '../../../ui/columns.ts';
import { DataTable } from '../../../ui/DataTable.tsx';
import { countOf, longDay } from '../../../ui/figures.ts';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Pager } from '../../../ui/Pager.tsx';
import { Empty, Panel } from '../../../ui/Panel.tsx';
import { AllowedButton, SmallButton } from '../../../ui/rights.tsx';
import { DaysChoice } from '../../../ui/Segments.tsx';
import { isMoving } from '../../../ui/task.ts';
import { Money, Note } from '../../../ui/text.tsx';
import { oneOf, pageIn, useAddress } from '../../../ui/useAddress.ts';
import { useChange } from '../../../ui/useChange.ts';
import { startOf } from './kinds.ts';
import { repricesQuery, unpricedQuery, type Priceable, type UnpricedRunner } from './queries.ts';
import { RuleForm, type RuleStart } from './RuleForm.tsx';
import { minutesText } from './words.ts';

const spans = ['30', '90', '365'] as const;

export function UnpricedPanel({ reason }: { reason: string | null }) {
  const [address, changeAddress] = useAddress();
  const days = oneOf(spans, address.get('days'), '30');
  const unpriced = useQuery(unpricedQuery(Number(days), pageIn(address)));
  const [mapped, setMapped] = useState<RuleStart | null>(null);
  return (
    <Panel
      title="Unpriced runners"
      aside={<DaysChoice known={spans} value={days} onChange={(value) => changeAddress({ days: value })} />}
    >
      <Note>
        Minutes on unpriced runners count as $0, so your costs are too low. Set a price with a rule, then
        reprice past jobs.
      </Note>
      <Loaded query={unpriced} height={200}>
        {({ data, pagination, priceable }) =>
          data.length === 0 ? (
            <Empty title="All runners have a price">No minutes were left out in this period.</Empty>
          ) : (
            <Stack gap="sm">
              {priceable && <PriceThem priceable={priceable} reason={reason} />}
              <DataTable
                label="Unpriced runners"
                minWidth={700}
                rows={data}
                columns={columnsFor(reason, setMapped)}
                keyOf={({ labels, runner_group: group }) => JSON.stringify([labels, group])}
                isPart={pagination.total > data.length}
                isStacked
              />
              <Pager
                pagination={pagination}
                one="runner"
                onPage={(page) => changeAddress({ page: String(page) })}
              />
            </Stack>
          )
        }
      </Loaded>
      {mapped && <RuleForm rule={null} start={mapped} onClose={() => setMapped(null)} />}
    </Panel>
  );
}

/** Only for admins: the answer to others has no list of reprices. */
function PriceThem({ priceable, reason }: { priceable: Priceable; reason: string | null }) {
  const { runners, minutes, estimated_cost: cost, from, to } = priceable;
  const reprices = useQuery({ ...repricesQuery, enabled: reason === null });
  useRefreshAtTheEnd(reprices.data);
  const start = useChange({
    act: () => api.POST('/api/v1/reprices', { body: { from, to, unpriced_only: true } }),
    refresh: [repricesKey],
  });
  return (
    <Group gap="sm" role="note">
      <Text size="sm">
        {countOf(runners, 'runner')} now {runners === 1 ? 'has' : 'have'} a price:{' '}
        {countOf(minutes, 'minute')} would cost <Money amount={cost} />.
      </Text>
      <AllowedButton
        size="compact-sm"
        reason={reason}
        loading={start.isPending || (reprices.data?.some(isMoving) ?? false)}
        onClick={() => start.mutate(undefined)}
      >
        Price past jobs
      </AllowedButton>
    </Group>
  );
}

const nameOf = ({ labels }: UnpricedRunner) => (labels.length === 0 ? 'no labels' : labels.join(', '));

function columnsFor(reason: string | null, onMap: (start: RuleStart) => void): Column<UnpricedRunner>[] {
  return [
    {
      title: 'Labels',
      value: nameOf,
      cell: (runner) => (
        <>
          {nameOf(runner)}
          {runner.explanation !== null && <Note size="xs">{runner.explanation}</Note>}
          {runner.has_new_label && runner.explanation === null && (
            <Note size="xs">Newer than this version of Runcost: update it, or set a price.</Note>
          )}
        </>
      ),
    },
    textColumn('Runner group', ({ runner_group: group }) => group, { isPlain: true }),
    numberColumn(
      'Jobs',
      ({ jobs }) => jobs,
      (jobs) => countOf(jobs, 'job'),
      { isPlain: true },
    ),
    numberColumn('Minutes', ({ minutes }) => minutes, minutesText, { isPlain: true }),
    shownColumn('Last seen (UTC)', ({ last_seen: day }) => day, longDay, { isNumber: true }),
    ...(reason === null
      ? [{ title: 'Actions', cell: (runner: UnpricedRunner) => <SetPrice runner={runner} onMap={onMap} /> }]
      : []),
  ];
}

function SetPrice({ runner, onMap }: { runner: UnpricedRunner; onMap: (start: RuleStart) => void }) {
  const start = startOf(runner);
  return (
    <SmallButton
      reason={start ? null : 'It has no label or group.'}
      aria-label={`Set price for ${nameOf(runner)}`}
      onClick={() => start && onMap(start)}
    >
      Set price
    </SmallButton>
  );
}
