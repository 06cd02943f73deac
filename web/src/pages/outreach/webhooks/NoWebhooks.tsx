import { Stack, Text } from '@mantine/core';
import { CodeBlock } from '../../../ui/CodeBlock.tsx';
import { CopyButton } from '../../../ui/CopyField.tsx';

export function NoWebhooks() {
  const command = `curl -s -X POST ${location.origin}/api/v1/webhooks \\
  -H "Authorization: Bearer $RUNCOST_TOKEN" -H 'Content-Type: application/json' \\
  -d '{"url": "https://example.com/runcost", "events": ["workflow.completed", "alert.triggered"]}'`;
  return (
    <Stack gap="sm">
      <Text size="sm">
        A webhook sends events to your own systems: a run completed and its cost is final, an alert triggered,
        half of a budget is spent. We sign and store each event before we send it, and retry failed
        deliveries.
      </Text>
      <Text size="sm">
        Create one with the button above, or with a token that has the webhooks:write scope:
      </Text>
      <Stack gap="xs" ta="left" align="flex-end">
        <CodeBlock label="Command that creates a webhook">{command}</CodeBlock>
        <CopyButton text={command} what="the command" />
      </Stack>
    </Stack>
  );
}
