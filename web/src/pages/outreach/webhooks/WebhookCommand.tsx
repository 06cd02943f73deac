import { CommandFold } from '../../../ui/CommandFold.tsx';

export function WebhookCommand() {
  // Run in the reader's own terminal, which reaches what this browser reaches.
  const command = `curl -s -X POST ${location.origin}/api/v1/webhooks \\
  -H "Authorization: Bearer $RUNCOST_TOKEN" -H 'Content-Type: application/json' \\
  -d '{"url": "https://example.com/runcost", "events": ["workflow.completed", "alert.triggered"]}'`;
  return (
    <CommandFold
      title="With a token that has the webhooks:write scope"
      label="Command that creates a webhook"
      command={command}
    />
  );
}
