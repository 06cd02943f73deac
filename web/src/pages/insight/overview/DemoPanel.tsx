import { Button, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../../api/client.ts';
import { demoKey, demoQuery } from '../../../parts/demo/queries.ts';
import { Panel } from '../../../ui/Panel.tsx';
import { useWhyNot } from '../../../ui/rights.tsx';
import { doneInWords, isMoving } from '../../../ui/task.ts';
import { TaskBar } from '../../../ui/TaskBar.tsx';
import { InText, Note } from '../../../ui/text.tsx';
import { useChange } from '../../../ui/useChange.ts';

/** Fills the empty organization with the demo. The overview appears when all of it is there. */
export function DemoPanel() {
  const { data: load } = useQuery(demoQuery);
  const reason = useWhyNot()({ role: 'owner', scope: 'admin' });
  const start = useChange({ act: () => api.POST('/api/v1/organization/demo'), refresh: [demoKey] });
  return (
    <Panel title="Just looking?">
      <Stack gap="sm" align="flex-start">
        <Text size="sm">
          The demo is a made-up company with 90 days of runs. It fills this organization. Delete it before you
          connect your CI: <InText href="/settings/organization">Settings, Organization</InText> says how.
        </Text>
        {load && isMoving(load) ? (
          <Stack gap={4} w="100%" mih={36} justify="center">
            <TaskBar task={load} done="loaded" />
            <Note role="status">Loading the demo: {doneInWords(load, 'run')}</Note>
          </Stack>
        ) : reason === null ? (
          <Button variant="default" loading={start.isPending} onClick={() => start.mutate(undefined)}>
            Load the demo
          </Button>
        ) : (
          <Note>{reason}</Note>
        )}
        {load?.status === 'failed' && <Note role="status">The demo could not be loaded. {load.error}</Note>}
      </Stack>
    </Panel>
  );
}
