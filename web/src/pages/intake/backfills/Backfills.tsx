import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { PageTitle } from '../../../ui/PageTitle.tsx';
import { ResourcePanel } from '../../../ui/ResourcePanel.tsx';
import { AllowedButton, RightsNote, useWhyNot } from '../../../ui/rights.tsx';
import { pageIn, useAddress } from '../../../ui/useAddress.ts';
import { sourcesQuery } from '../../tenancy/queries.ts';
import { backfillColumns } from './backfillColumns.tsx';
import { BackfillCommand } from './BackfillCommand.tsx';
import { Completeness } from './Completeness.tsx';
import { backfillsQuery, knownRepositoriesQuery } from './queries.ts';
import { StartBackfill } from './StartBackfill.tsx';

export function Page() {
  const [params] = useAddress();
  const backfills = useQuery(backfillsQuery(pageIn(params)));
  const [isStarting, { open, close }] = useDisclosure();
  const whyNot = useWhyNot();
  const reason = whyNot({ role: 'admin', scope: 'admin' });
  const mayKnow = reason === null && whyNot({ role: 'viewer', scope: 'costs:read' }) === null;
  // Before the dialog opens, so that nothing moves in it.
  const known = useQuery({ ...knownRepositoriesQuery, enabled: mayKnow });
  const sources = useQuery({ ...sourcesQuery, enabled: reason === null });
  const isConnected = sources.data?.some(({ kind }) => kind === 'github') ?? true;
  const create = isConnected ? (
    <AllowedButton reason={reason} onClick={open}>
      New backfill
    </AllowedButton>
  ) : (
    <Button component={Link} href="/sources/github-app">
      Connect GitHub
    </Button>
  );
  return (
    <>
      <PageTitle title="Backfills" about="Import runs from before you connected Runcost, and runs it missed.">
        {backfills.data?.pagination.total !== 0 && create}
      </PageTitle>
      <RightsNote reason={reason} />
      <ResourcePanel
        label="Backfills"
        query={backfills}
        rowsOf={({ data }) => data}
        pages={{ one: 'backfill', of: ({ pagination }) => pagination }}
        columns={backfillColumns(reason)}
        keyOf={({ id }) => id}
        minWidth={900}
        empty={{
          title: 'No backfills yet',
          text: 'Read past runs from GitHub, so that costs start before the day you connected it. Each backfill is listed here with its repositories and days, how far it has come, and the runs that it added.',
          action: create,
          more: <BackfillCommand />,
        }}
      >
        {isStarting && <StartBackfill known={known.data ?? []} onClose={close} />}
      </ResourcePanel>
      {!backfills.isPending && <Completeness isFirst={backfills.data?.pagination.total === 0} />}
    </>
  );
}
