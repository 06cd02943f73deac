import { Anchor, Box, SimpleGrid, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Panel } from '../../../ui/Panel.tsx';
import { When } from '../../../ui/When.tsx';
import type { Run } from './queries.ts';

export function Details({ run }: { run: Run }) {
  return (
    <Panel title="Details">
      <SimpleGrid component="dl" m={0} cols={{ base: 2, sm: 3, lg: 4 }} spacing="md" verticalSpacing="sm">
        <Detail name="Repository">
          <AtProvider href={run.pages.repository}>{run.repository}</AtProvider>
        </Detail>
        <Detail name="Branch">
          <AtProvider href={run.pages.branch}>{run.branch ?? '–'}</AtProvider>
        </Detail>
        <Detail name="Commit">
          <AtProvider href={run.pages.commit}>
            {run.commit?.replace(/^([0-9a-f]{12})[0-9a-f]{28,}$/, '$1') ?? '–'}
          </AtProvider>
        </Detail>
        <Detail name="Pull request">
          <AtProvider href={run.pages.pull_request}>
            {run.pull_request === null ? '–' : `#${run.pull_request}`}
          </AtProvider>
        </Detail>
        <Detail name="Event">{run.event ?? '–'}</Detail>
        <Detail name="Triggered by">{run.actor ?? '–'}</Detail>
        <Detail name="Created">
          <When at={run.created_at} full />
        </Detail>
        <Detail name={run.attempt > 1 ? `Attempt ${run.attempt} started` : 'Started'}>
          <When at={run.started_at} full />
        </Detail>
        <Detail name="Completed">
          <When at={run.completed_at} full />
        </Detail>
        <Detail name="Reported status">{run.raw_conclusion ?? '–'}</Detail>
        {run.url && (
          <Detail name="Provider">
            <AtProvider href={run.url}>Open run</AtProvider>
          </Detail>
        )}
      </SimpleGrid>
    </Panel>
  );
}

function AtProvider({ href, children }: { href: string | null; children: ReactNode }) {
  if (href === null) return children;
  return (
    <Anchor href={href} target="_blank" rel="noreferrer" underline="always" inherit>
      {children}
    </Anchor>
  );
}

function Detail({ name, children }: { name: string; children: ReactNode }) {
  return (
    <Box>
      <Text component="dt" size="sm" c="dimmed">
        {name}
      </Text>
      <Text component="dd" m={0} style={{ overflowWrap: 'anywhere' }}>
        {children}
      </Text>
    </Box>
  );
}
