import { Anchor, Skeleton, Stack, Text } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { Link } from 'wouter';
import { Failed } from '../../../ui/Failed.tsx';
import { Money } from '../../../ui/Money.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { sharedOwner } from '../../../ui/RepositoryName.tsx';
import { useFixes } from '../waste/queries.ts';

// A fix opens to more than the first figures wait for.
const FixRow = lazy(async () => ({ default: (await import('../waste/FixRow.tsx')).FixRow }));

const days = 30;
const shown = 3;
/** It reads every job, and changes slowly. */
const keptFor = 600_000;

type Props = {
  of: { repo: string } | { workflow_id: string } | { workflows: readonly string[] };
  isReady: boolean;
};

/** The open fixes that would save most. What is wasted in all is known of one repository or workflow only. */
export function Fixes({ of, isReady }: Props) {
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
          <Failed error={waste.error} retry={() => void waste.refetch()} height={160} />
        ) : (
          <Skeleton height={160} aria-busy="true" />
        )
      ) : (
        <Stack gap="sm">
          {!isOfList && (
            <div>
              <Text fz={21} lh={1.3} fw={700}>
                <Money amount={waste.data.data.waste_cost} />
              </Text>
              <Text size="sm" c="dimmed">
                of <Money amount={waste.data.data.total_cost} /> in the last {days} days
              </Text>
            </div>
          )}
          {fixes.length === 0 && (
            <Text size="sm" c="dimmed">
              Nothing to save in the last {days} days.
            </Text>
          )}
          {fixes.length > 0 && (
            <Suspense fallback={<Skeleton height={48 * fixes.length} />}>
              <ul className="fixes is-narrow" aria-label="Fixes">
                {fixes.map((fix) => (
                  <FixRow
                    key={fix.id}
                    {...{ fix, of: within, owner }}
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
