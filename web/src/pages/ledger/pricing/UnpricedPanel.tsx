import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { DaysChoice } from '../../../ui/DaysChoice.tsx';
import { Empty } from '../../../ui/Empty.tsx';
import { count, longDay } from '../../../ui/figures.ts';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Pager } from '../../../ui/Pager.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { AllowedButton } from '../../../ui/rights.tsx';
import { oneOf, pageIn, useAddress } from '../../../ui/useAddress.ts';
import { breaking, Columns, WideTable } from '../../../ui/WideTable.tsx';
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
      <Text size="sm" c="dimmed">
        Minutes on unpriced runners count as $0, so your costs are too low. Map each runner to a price with a
        rule, then reprice past jobs.
      </Text>
      <Loaded query={unpriced} height={200}>
        {({ data, pagination }) =>
          data.length === 0 ? (
            <Empty title="All runners have a price">No minutes were left out in this period.</Empty>
          ) : (
            <Stack gap="sm">
              <RunnerTable runners={data} reason={reason} onMap={setMapped} />
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

type TableProps = { runners: UnpricedRunner[]; reason: string | null; onMap: (start: RuleStart) => void };

function RunnerTable({ runners, reason, onMap }: TableProps) {
  return (
    <WideTable keepsLast label="Unpriced runners" minWidth={700}>
      <Columns
        texts={['Labels', 'Runner group']}
        numbers={['Jobs', 'Minutes', 'Last seen (UTC)', 'Actions']}
      />
      <tbody>
        {runners.map((runner) => {
          const { labels, runner_group: group, jobs, minutes, last_seen: lastSeen } = runner;
          const start = startOf(runner);
          const name = labels.length === 0 ? 'no labels' : labels.join(', ');
          return (
            <tr key={JSON.stringify([labels, group])}>
              <th scope="row" style={breaking}>
                {name}
              </th>
              <td style={breaking}>{group ?? '–'}</td>
              <td className="number">{count(jobs)}</td>
              <td className="number">{count(minutes)}</td>
              <td className="number">{longDay(lastSeen)}</td>
              <td className="number">
                <AllowedButton
                  size="compact-sm"
                  variant="default"
                  reason={start ? reason : 'No label or group to map.'}
                  aria-label={`Map ${name}`}
                  onClick={() => start && onMap(start)}
                >
                  Map
                </AllowedButton>
              </td>
            </tr>
          );
        })}
      </tbody>
    </WideTable>
  );
}
