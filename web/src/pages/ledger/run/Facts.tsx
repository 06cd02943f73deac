import { Anchor, Box, SimpleGrid, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Panel } from '../../../ui/Panel.tsx';
import { When } from '../../../ui/When.tsx';
import type { Run } from './queries.ts';

/** What the CI system has told about the run. */
export function Facts({ run }: { run: Run }) {
  return (
    <Panel title="Facts">
      <SimpleGrid
        component="dl"
        m={0}
        cols={{ base: 1, xs: 2, sm: 3, lg: 4 }}
        spacing="md"
        verticalSpacing="sm"
      >
        <Fact name="Repository">{run.repository}</Fact>
        <Fact name="Branch">{run.branch ?? '–'}</Fact>
        <Fact name="Event">{run.event ?? '–'}</Fact>
        <Fact name="By">{run.actor ?? '–'}</Fact>
        <Fact name="Created">
          <When at={run.created_at} full />
        </Fact>
        <Fact name={run.attempt > 1 ? `Attempt ${run.attempt} started` : 'Started'}>
          <When at={run.started_at} full />
        </Fact>
        <Fact name="Completed">
          <When at={run.completed_at} full />
        </Fact>
        <Fact name="The CI system's word">{run.raw_conclusion ?? '–'}</Fact>
        {run.url && (
          <Fact name="At the CI system">
            <Anchor href={run.url} target="_blank" rel="noreferrer" underline="always" inherit>
              Open the run
            </Anchor>
          </Fact>
        )}
      </SimpleGrid>
    </Panel>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
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
