import { Stack, Text } from '@mantine/core';
import { CodeBlock } from '../../../ui/CodeBlock.tsx';
import { CopyButton } from '../../../ui/CopyField.tsx';
import { Empty } from '../../../ui/Empty.tsx';

/** What webhooks are for, and the way to one from the command line. */
export function NoWebhooks() {
  const command = `curl -s -X POST ${window.location.origin}/api/v1/webhooks \\
  -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
  -d '{"url": "https://example.com/runcost", "events": ["workflow.completed", "alert.triggered"]}'`;
  return (
    <Empty title="No webhooks yet">
      <Stack gap="sm">
        <Text size="sm">
          A webhook is an address of yours that Runcost posts events to: a run has completed and its cost is
          final, an alert has triggered, half of a budget is spent. Events are signed, stored before they are
          sent, and tried again until your side has taken them.
        </Text>
        <Text size="sm">Create one with the button above, or with a token of scope webhooks:write:</Text>
        <Stack gap="xs" ta="left" align="flex-end">
          <CodeBlock label="Command that creates a webhook">{command}</CodeBlock>
          <CopyButton text={command} what="the command" />
        </Stack>
      </Stack>
    </Empty>
  );
}
