import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../../api/client.ts';
import { shownColumn, textColumn } from '../../../ui/cells.tsx';
import type { Column } from '../../../ui/columns.ts';
import { DataTable } from '../../../ui/DataTable.tsx';
import { longDay } from '../../../ui/figures.ts';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { AllowedButton } from '../../../ui/rights.tsx';
import { Note, When } from '../../../ui/text.tsx';
import { useChange } from '../../../ui/useChange.ts';
import { hostedRunnersKey, hostedRunnersQuery, unpricedKey, type HostedRunner } from './queries.ts';
import { rateInWords } from './words.ts';

export function HostedRunnersPanel({ reason }: { reason: string | null }) {
  const hosted = useQuery(hostedRunnersQuery);
  const read = useChange({
    act: () => api.POST('/api/v1/hosted-runners/read', { body: {} }),
    refresh: [hostedRunnersKey, unpricedKey],
  });
  return (
    <Panel
      title="Larger runners at GitHub"
      aside={
        <AllowedButton
          size="compact-sm"
          variant="default"
          reason={reason}
          loading={read.isPending}
          onClick={() => read.mutate(undefined)}
        >
          Read from GitHub
        </AllowedButton>
      }
    >
      <Note>
        GitHub lists the size of each larger runner, and its name is its label. New jobs get the price of that
        size, unless a rule says otherwise. We read the list every night.
      </Note>
      <Loaded query={hosted} height={80}>
        {({ runners, problems, tried_at: triedAt }) => (
          <>
            {problems.map(({ owner, message }) => (
              <Text key={owner} size="sm" role="note">
                {message}
              </Text>
            ))}
            {runners.length > 0 ? (
              <DataTable
                label="Larger runners"
                minWidth={640}
                rows={runners}
                columns={columns}
                keyOf={({ owner, name }) => `${owner}/${name}`}
                isStacked
              />
            ) : (
              problems.length === 0 && (
                <Text size="sm">
                  {triedAt === null
                    ? 'Not read yet. The credentials of a source need the organization permission "Administration: read".'
                    : 'GitHub lists no larger runners.'}
                </Text>
              )
            )}
            {triedAt !== null && (
              <Note size="xs">
                Read <When at={triedAt} />
              </Note>
            )}
          </>
        )}
      </Loaded>
    </Panel>
  );
}

const columns: Column<HostedRunner>[] = [
  textColumn('Runner', ({ name }) => name),
  textColumn('Owner', ({ owner }) => owner, { isPlain: true }),
  {
    title: 'Size',
    value: ({ cores }) => cores,
    cell: ({ size, platform, image }) => (
      <div>
        {size} {platform}
        {image !== null && <Note size="xs">{image}</Note>}
      </div>
    ),
  },
  {
    title: 'Rate',
    cell: ({ runner_kind: kind, usd_per_minute: rate }) =>
      kind === null
        ? 'No list has this size'
        : rate === null
          ? 'Not in your price list'
          : `${rateInWords(rate)} per minute`,
  },
  shownColumn('Since (UTC)', ({ first_day: day }) => day, longDay, { isNumber: true }),
];
