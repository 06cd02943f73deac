import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Column } from '../../../ui/columns.ts';
import { DataTable } from '../../../ui/DataTable.tsx';
import { DaysChoice } from '../../../ui/DaysChoice.tsx';
import { Empty } from '../../../ui/Empty.tsx';
import { count, countOf, longDay } from '../../../ui/figures.ts';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Note } from '../../../ui/Note.tsx';
import { Pager } from '../../../ui/Pager.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { AllowedButton } from '../../../ui/rights.tsx';
import { oneOf, pageIn, useAddress } from '../../../ui/useAddress.ts';
import { startOf } from './kinds.ts';
import { unpricedQuery, type UnpricedRunner } from './queries.ts';
import { RuleForm, type RuleStart } from './RuleForm.tsx';

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
        {({ data, pagination }) =>
          data.length === 0 ? (
            <Empty title="All runners have a price">No minutes were left out in this period.</Empty>
          ) : (
            <Stack gap="sm">
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

const nameOf = ({ labels }: UnpricedRunner) => (labels.length === 0 ? 'no labels' : labels.join(', '));

function columnsFor(reason: string | null, onMap: (start: RuleStart) => void): Column<UnpricedRunner>[] {
  return [
    {
      title: 'Labels',
      value: nameOf,
      cell: (runner) => (
        <>
          {nameOf(runner)}
          {runner.has_new_label && (
            <Text size="xs" c="dimmed">
              Newer than this version of Runcost: update it, or set a price.
            </Text>
          )}
        </>
      ),
    },
    {
      title: 'Runner group',
      isPlain: true,
      value: ({ runner_group: group }) => group,
      cell: ({ runner_group: group }) => group ?? '–',
    },
    {
      title: 'Jobs',
      isNumber: true,
      isPlain: true,
      value: ({ jobs }) => jobs,
      cell: ({ jobs }) => countOf(jobs, 'job'),
    },
    {
      title: 'Minutes',
      isNumber: true,
      isPlain: true,
      value: ({ minutes }) => minutes,
      cell: ({ minutes }) => `${count(minutes)} min`,
    },
    {
      title: 'Last seen (UTC)',
      isNumber: true,
      value: ({ last_seen: day }) => day,
      cell: ({ last_seen: day }) => longDay(day),
    },
    ...(reason === null
      ? [{ title: 'Actions', cell: (runner: UnpricedRunner) => <SetPrice runner={runner} onMap={onMap} /> }]
      : []),
  ];
}

function SetPrice({ runner, onMap }: { runner: UnpricedRunner; onMap: (start: RuleStart) => void }) {
  const start = startOf(runner);
  return (
    <AllowedButton
      size="compact-sm"
      variant="default"
      reason={start ? null : 'It has no label or group.'}
      aria-label={`Set a price for ${nameOf(runner)}`}
      onClick={() => start && onMap(start)}
    >
      Set price
    </AllowedButton>
  );
}
