import { Button, Card, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useCommandLine, useOrganizationId } from '../../../api/session.ts';
import { CodeBlock } from '../../../ui/CodeBlock.tsx';
import { CopyButton } from '../../../ui/CopyField.tsx';
import { WhichPrices } from './WhichPrices.tsx';

export function FirstSteps() {
  const orgId = useOrganizationId();
  const commandLine = useCommandLine();
  return (
    <Stack gap="md">
      <WhichPrices />
      <Text>No runs yet. Choose one of these. The first run appears here when it arrives.</Text>
      <SimpleGrid cols={{ base: 1, md: 3 }} spacing="md">
        <Step
          title="Connect your CI"
          text="Your CI reports each run and job when it ends. Setup takes about 2 minutes."
        >
          <Group>
            <Button component={Link} href="/sources">
              Choose your CI
            </Button>
          </Group>
        </Step>
        <Step
          title="Report runs from any CI"
          text="Send runs from the last step of a pipeline, with a token that has the runs:write scope."
        >
          <Command what="the request" text={requestFor(window.location.origin)} />
        </Step>
        <Step
          title="Look around first"
          text="Run this on the server to load the history of a made-up company. Use a separate organization: you can only remove the history by deleting its organization."
        >
          <Command what="the command" text={`${commandLine} demo --org ${orgId} --days 90 --runs 20000`} />
        </Step>
      </SimpleGrid>
    </Stack>
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
