import { Button, Group, Stack, Text } from '@mantine/core';
import { IconCircleDashed } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { useCommandLine, usePublicUrl } from '../../../api/session.ts';
import { CommandFold } from '../../../ui/CommandFold.tsx';
import { Empty } from '../../../ui/Empty.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { useWhyNot } from '../../../ui/rights.tsx';
import { guidedPages, sourceKindsQuery } from '../../intake/sources/sourceKinds.tsx';
import { WhichPrices } from './WhichPrices.tsx';

export function FirstSteps() {
  const isAdmin = useWhyNot()({ role: 'admin', scope: 'admin' }) === null;
  if (!isAdmin) {
    return (
      <Empty title="No runs yet">
        Ask an admin to connect your CI. The first run appears here when it arrives.
      </Empty>
    );
  }
  return (
    <Stack gap="md">
      <Connect />
      <WhichPrices />
      <OtherWays />
    </Stack>
  );
}

/** A CI on the internet does not reach a laptop: the way offered there reads the history first. */
function Connect() {
  const kinds = useQuery(sourceKindsQuery).data ?? [];
  const { isPublic } = usePublicUrl();
  const others = [
    ...kinds
      .filter(({ kind }) => kind !== 'github')
      .map(({ kind, title }) => ({ kind: kind as string, title })),
    { kind: 'telemetry', title: 'OpenTelemetry' },
  ];
  return (
    <Panel title="Connect your CI">
      <Text size="sm" maw={680}>
        {isPublic
          ? 'An App of your own reads your last 30 days at once, then reports each job as it happens. Two clicks at GitHub, no secret to copy.'
          : 'An App of your own reads your last 30 days at once, then asks for new runs every 10 minutes. It needs no public address. The webhooks of other CI systems need one (PUBLIC_URL).'}
      </Text>
      <Group gap="sm">
        <Button component={Link} href={guidedPages['github']!}>
          Connect GitHub
        </Button>
        {others.map(({ kind, title }) => (
          <Button
            key={kind}
            component={Link}
            href={guidedPages[kind] ?? `/sources?connect=${kind}`}
            variant="default"
          >
            {title}
          </Button>
        ))}
      </Group>
      <Group gap={6} wrap="nowrap" c="dimmed">
        <IconCircleDashed size={16} aria-hidden style={{ flex: 'none' }} />
        <Text size="sm">Waiting for the first run. It appears here when it arrives.</Text>
      </Group>
    </Panel>
  );
}

function OtherWays() {
  const commandLine = useCommandLine();
  return (
    <Panel title="Other ways">
      <Stack gap={4}>
        <CommandFold
          title="Look around first: load a made-up company into an organization of its own"
          label="the command for the demo"
          command={`${commandLine} demo`}
        />
        <CommandFold
          title="Read your history from GitHub with a token that may read Actions"
          label="the command for history"
          command={`GITHUB_TOKEN=… ${commandLine} \\\n  backfill github --repo owner/name --since 90d`}
        />
        <CommandFold
          title="Report runs from any CI, with a token that has the runs:write scope"
          label="the request"
          command={requestFor(location.origin)}
        />
      </Stack>
    </Panel>
  );
}

function requestFor(origin: string): string {
  const now = Date.now();
  const at = (minutesAgo: number) => `${new Date(now - minutesAgo * 60_000).toISOString().slice(0, 19)}Z`;
  const run = {
    provider: 'jenkins',
    run_id: 'api-1',
    workflow_name: 'Build',
    repo_name: 'acme/api',
    status: 'completed',
    conclusion: 'success',
    created_at: at(5),
    jobs: [
      {
        job_id: '1',
        runner: 'linux_2_core',
        started_at: at(5),
        completed_at: at(1),
      },
    ],
  };
  return [
    `curl -s -X POST ${origin}/api/v1/runs \\`,
    `  -H "Authorization: Bearer $RUNCOST_TOKEN" -H 'Content-Type: application/json' \\`,
    `  -d '${JSON.stringify({ runs: [run] }, null, 2)}'`,
  ].join('\n');
}
