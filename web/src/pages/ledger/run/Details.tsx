import { Anchor, Box, SimpleGrid, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Panel } from '../../../ui/Panel.tsx';
import { When } from '../../../ui/When.tsx';
import type { Run } from './queries.ts';

export function Details({ run }: { run: Run }) {
  return (
    <Panel title="Details">
      <SimpleGrid
        component="dl"
        m={0}
        cols={{ base: 1, xs: 2, sm: 3, lg: 4 }}
        spacing="md"
        verticalSpacing="sm"
      >
        <Detail name="Repository">{run.repository}</Detail>
        <Detail name="Branch">{run.branch ?? '–'}</Detail>
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
            <Anchor href={run.url} target="_blank" rel="noreferrer" underline="always" inherit>
              Open run
            </Anchor>
          </Detail>
        )}
      </SimpleGrid>
    </Panel>
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
