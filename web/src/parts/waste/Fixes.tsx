import { Skeleton, Stack, Text } from '@mantine/core';
import { Suspense } from 'react';
import { late } from '../../ui/late.ts';
import { Failed } from '../../ui/Loaded.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { Money, Note, sharedOwner } from '../../ui/text.tsx';
import { useFixes } from './waste.ts';

// Loaded separately: an open fix shows more than the first figures need.
const FixRow = late(() => import('./FixRow.tsx'), 'FixRow');

const days = 30;
const shown = 3;
/** Milliseconds. Reading waste is expensive, and it changes slowly. */
const keptFor = 600_000;

type Props = {
  of: { repo: string } | { workflow_id: string } | { workflows: readonly string[] };
  isReady: boolean;
  /** Sums for a list of workflows, which the list of fixes does not contain. Undefined while they load. */
  sums?: Sums | null | undefined;
};

type Sums = { waste: number; cost: number; of: string };

export function Fixes({ of, isReady, sums: given }: Props) {
  const isOfList = 'workflows' in of;
  const asked = isOfList ? {} : of;
  const query = { days, status: 'open', per_page: isOfList ? 100 : shown, ...asked } as const;
  const waste = useFixes(query, { enabled: isReady, staleTime: keptFor });
  const fixes = (waste.data?.data.fixes ?? [])
    .filter(({ workflow_id: id }) => !isOfList || of.workflows.includes(id))
    .filter(({ saving_per_month: saving }) => saving > 0)
    .slice(0, shown);
  const owner = sharedOwner(fixes.map(({ repository }) => repository));
  const within = 'repo' in of ? 'repository' : isOfList ? null : 'workflow';
  const all = waste.data?.data;
  const sums = isOfList
    ? given
    : all && { waste: all.waste_cost, cost: all.total_cost, of: `in the last ${days} days` };
  const search = 'repo' in of ? `&${new URLSearchParams({ repo: of.repo })}` : '';
  return (
    <Panel title="Waste" more={{ href: `/waste?days=${days}${search}`, label: 'All waste' }}>
      {waste.data === undefined || sums === undefined ? (
        waste.error ? (
          <Failed error={waste.error} retry={() => void waste.refetch()} height={160} />
        ) : (
          <Skeleton height={160} aria-busy="true" />
        )
      ) : (
        <Stack gap="sm">
          {sums !== null && (
            <div>
              <Text fz={21} lh={1.3} fw={700}>
                <Money amount={sums.waste} />
              </Text>
              <Note>
                of <Money amount={sums.cost} /> {sums.of}
              </Note>
            </div>
          )}
          {fixes.length === 0 && <Note>Nothing to save in the last {days} days.</Note>}
          {fixes.length > 0 && (
            <Suspense fallback={<Skeleton height={48 * fixes.length} />}>
              <ul className="fixes is-narrow" aria-label="Fixes">
                {fixes.map((fix) => (
                  <FixRow
                    key={fix.id}
                    fix={fix}
                    of={within}
                    owner={owner}
                    range={{ days }}
                    largest={fixes[0]!.saving_per_month}
                  />
                ))}
              </ul>
            </Suspense>
          )}
        </Stack>
      )}
    </Panel>
  );
}
