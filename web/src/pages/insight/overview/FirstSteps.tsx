import { Button, Card, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useCommandLine, usePublicUrl } from '../../../api/session.ts';
import { CodeBlock } from '../../../ui/CodeBlock.tsx';
import { CopyButton } from '../../../ui/CopyField.tsx';
import { guidedPages, sourceKindsQuery } from '../../intake/sources/sourceKinds.tsx';
import { WhichPrices } from './WhichPrices.tsx';

/** A CI on the internet does not reach a laptop, so its first step is the history. */
export function FirstSteps() {
  const commandLine = useCommandLine();
  const isLocal = !usePublicUrl().isPublic;
  return (
    <Stack gap="md">
      <WhichPrices />
      <Text>No runs yet. Choose one of these. The first run appears here when it arrives.</Text>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        {isLocal && <History commandLine={commandLine} />}
        <Step
          title="Connect your CI"
          text={`Your CI reports each run and job when it ends. Setup takes about 2 minutes.${isLocal ? ' The server needs a public address (PUBLIC_URL) for webhooks.' : ''}`}
        >
          <Providers />
        </Step>
        {!isLocal && <History commandLine={commandLine} />}
        <Step
          title="Report runs from any CI"
          text="Send runs from the last step of a pipeline, with a token that has the runs:write scope."
        >
          <Command what="the request" text={requestFor(location.origin)} />
        </Step>
        <Step
          title="Look around first"
          text="Run this on the server. It loads the history of a made-up company into an organization of its own and prints a link to sign in there."
        >
          <Command what="the command" text={`${commandLine} demo`} />
        </Step>
      </SimpleGrid>
    </Stack>
  );
}

function History({ commandLine }: { commandLine: string }) {
  return (
    <Step
      title="Read your history from GitHub"
      text="Run this on the server with a token that has the repository permission “Actions: read”. It needs no webhook."
    >
      <Command
        what="the command for history"
        text={`GITHUB_TOKEN=… ${commandLine} backfill github \\\n  --repo owner/name --since 90d`}
      />
    </Step>
  );
}

function Providers() {
  const kinds = useQuery(sourceKindsQuery).data ?? [];
  const all = [
    ...kinds.map(({ kind, title }) => ({ kind: kind as string, title })),
    { kind: 'telemetry', title: 'OpenTelemetry' },
  ];
  return (
    <Group gap="xs">
      {all.map(({ kind, title }) => (
        <Button
          key={kind}
          component={Link}
          href={guidedPages[kind] ?? `/sources?connect=${kind}`}
          size="compact-sm"
        >
          {title}
        </Button>
      ))}
    </Group>
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

function Step({ title, text, children }: { title: string; text: string; children: ReactNode }) {
  return (
    <Card withBorder p="md" component="section" aria-label={title} miw={0}>
      <Stack gap="sm">
        <Title order={2} size="h4">
          {title}
        </Title>
        <Text size="sm">{text}</Text>
        {children}
      </Stack>
    </Card>
  );
}

function Command({ what, text }: { what: string; text: string }) {
  return (
    <>
      <CodeBlock label={what} mah={180}>
        {text}
      </CodeBlock>
      <Group>
        <CopyButton what={what} text={text} />
      </Group>
    </>
  );
}
