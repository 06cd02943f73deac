import { Anchor, Group, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import { useAlerts } from '../../../alerts/queries.ts';
import { ruleInWords } from '../../../alerts/words.ts';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { When } from '../../../ui/When.tsx';

export function OpenAlerts() {
  const alerts = useAlerts();
  // The panel of budgets says it.
  if (alerts.data?.length === 0) return null;
  return (
    <Panel
      title="Open alerts"
      aside={
        <Anchor component={Link} href="/alerts" size="sm">
          All alerts
        </Anchor>
      }
    >
      <Loaded query={alerts} height={80}>
        {(all) => {
          const open = all.filter(({ enabled, state }) => enabled && state === 'triggered');
          if (open.length === 0)
            return (
              <Text size="sm" c="dimmed">
                All clear.
              </Text>
            );
          return (
            <Stack gap="sm">
              {open.map((alert) => (
                <Group key={alert.id} justify="space-between" gap="xs" align="flex-start">
                  <Stack gap={0} miw={0} flex="1 1 200px">
                    <Anchor
                      component={Link}
                      href={`/alerts/${alert.id}`}
                      size="sm"
                      style={{ overflowWrap: 'anywhere' }}
                    >
                      {alert.name}
                    </Anchor>
                    <Text size="sm" c="dimmed">
                      {ruleInWords(alert)}, since <When at={alert.last_triggered_at} />
                    </Text>
                  </Stack>
                  <StatusBadge status={alert.state} />
                </Group>
              ))}
            </Stack>
          );
        }}
      </Loaded>
    </Panel>
  );
}
