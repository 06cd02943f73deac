import { Button, Text } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { sourceKindsQuery, sourcesQuery, type Source } from '../../../api/queries.ts';
import { useCommandLine } from '../../../api/session.ts';
import { SourceCredentials } from '../../../parts/sources/SourceCredentials.tsx';
import { CommandFold } from '../../../ui/Command.tsx';
import { PageTitle } from '../../../ui/Panel.tsx';
import { ResourcePanel } from '../../../ui/ResourcePanel.tsx';
import { AllowedButton, RightsNote, useWhyNot } from '../../../ui/rights.tsx';
import { Step, Steps } from '../../../ui/Steps.tsx';
import './backfills.css';
import { pageIn, useAddress } from '../../../ui/useAddress.ts';
import { backfillColumns } from './backfillColumns.tsx';
import { Completeness } from './Completeness.tsx';
import { backfillsQuery, knownRepositoriesQuery } from './queries.ts';
import { StartBackfill } from './StartBackfill.tsx';
import { UsageImports } from './UsageImports.tsx';
import { stepOf, type StepName } from './words.ts';

export function Page() {
  const [params] = useAddress();
  const backfills = useQuery(backfillsQuery(pageIn(params)));
  const [opened, setOpened] = useState<'start' | Source | null>(null);
  const close = () => setOpened(null);
  const whyNot = useWhyNot();
  const reason = whyNot({ role: 'admin', scope: 'admin' });
  const mayKnow = reason === null && whyNot({ role: 'viewer', scope: 'costs:read' }) === null;
  const { data: sources = null } = useQuery({ ...sourcesQuery, enabled: reason === null });
  const { data: kinds = null } = useQuery({ ...sourceKindsQuery, enabled: reason === null });
  const backfilled = kinds?.filter(({ has_backfills: has }) => has).map(({ kind }) => kind) ?? [];
  // Loaded before the dialog opens, so that nothing moves in it.
  const known = useQuery({ ...knownRepositoriesQuery(backfilled), enabled: mayKnow && kinds !== null });
  const readable = (sources ?? []).filter(({ kind }) => backfilled.includes(kind));
  const step = sources && kinds && stepOf(readable);
  const start = (
    <AllowedButton reason={reason} onClick={() => setOpened('start')}>
      New backfill
    </AllowedButton>
  );
  const next =
    step === 'connect' ? (
      <Button component={Link} href="/sources/github-app">
        Connect GitHub
      </Button>
    ) : step !== 'credentials' ? (
      start
    ) : readable.length === 1 ? (
      <Button onClick={() => setOpened(readable[0]!)}>Add credentials</Button>
    ) : (
      <Button component={Link} href="/sources">
        Add credentials
      </Button>
    );
  return (
    <>
      <PageTitle
        title="History"
        about={
          step === 'credentials' && backfills.data && backfills.data.pagination.total > 0
            ? 'No source can read past runs now. Give one a token or a GitHub App with “Actions: read”.'
            : 'Read runs from before you connected Runcost, and runs it missed.'
        }
      >
        {backfills.isPending ? start : backfills.data?.pagination.total !== 0 && next}
      </PageTitle>
      <RightsNote reason={reason} />
      <ResourcePanel
        label="Backfills"
        query={backfills}
        pagesOf="backfill"
        columns={backfillColumns({ reason, sources: sources ?? [], onCredentials: setOpened })}
        minWidth={900}
        empty={{
          icon: IconHistory,
          title: 'No backfills yet',
          text: (
            <>
              Read past runs from GitHub, so that costs start before the day you connected it.
              {/* Rendered at once, because late steps would move the rest. */}
              {reason === null && <BackfillSteps now={step} />}
            </>
          ),
          action: next,
          more: <BackfillCommand />,
        }}
      >
        {opened === 'start' && (
          <StartBackfill known={known.data ?? []} readable={backfilled} onClose={close} />
        )}
        {opened !== null && opened !== 'start' && <SourceCredentials source={opened} onClose={close} />}
      </ResourcePanel>
      <UsageImports reason={reason} />
      {!backfills.isPending && <Completeness isFirst={backfills.data?.pagination.total === 0} />}
    </>
  );
}

function BackfillCommand() {
  const command = `GITHUB_TOKEN=… ${useCommandLine()} \\
  backfill github --repo owner/name --since 90d`;
  return (
    <CommandFold
      title="From the command line"
      label="Command that backfills a repository"
      command={command}
    />
  );
}

const steps: [StepName, title: string, text: string][] = [
  ['connect', 'Connect GitHub', 'Its events report new runs.'],
  ['credentials', 'Let Runcost read past runs', 'With a token or a GitHub App that has “Actions: read”.'],
  ['start', 'Choose repositories and a first day', 'The runs are priced and added. You see how far it is.'],
];

function BackfillSteps({ now }: { now: StepName | null }) {
  const at = steps.findIndex(([step]) => step === now);
  return (
    <Steps aria-label="Steps to a backfill">
      {steps.map(([step, title, text], index) => (
        <Step key={step} title={title} isDone={index < at} isNow={index === at}>
          <Text size="sm">{text}</Text>
        </Step>
      ))}
    </Steps>
  );
}
