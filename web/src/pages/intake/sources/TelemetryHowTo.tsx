import { Anchor, Button, Code, List, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import { CodeBlock } from '../../../ui/CodeBlock.tsx';
import { CopyButton, CopyField } from '../../../ui/CopyField.tsx';
import { Panel } from '../../../ui/Panel.tsx';

/** How traces of an OpenTelemetry collector become runs. There is nothing to create here but a token. */
export function TelemetryHowTo({ onDone }: { onDone: () => void }) {
  const address = window.location.origin;
  return (
    <Panel
      title="OpenTelemetry"
      aside={
        <Button size="compact-sm" variant="default" onClick={onDone}>
          To the sources
        </Button>
      }
    >
      <Stack maw={760}>
        <Text size="sm">
          Any CI whose traces reach an OpenTelemetry collector can be recorded: spans with the attributes{' '}
          <Code>cicd.*</Code> and <Code>vcs.*</Code> become runs and jobs, all others are passed over.
        </Text>
        <CopyField
          label="Traces endpoint"
          description="By the address at which you see this page; the collector may need another one of this server."
          what="the endpoint"
          value={`${address}/v1/traces`}
        />
        <List type="ordered" size="sm" spacing={6}>
          <List.Item>
            Under{' '}
            <Anchor component={Link} href="/settings/tokens" underline="always" inherit>
              Tokens
            </Anchor>
            , create one with the role <Code>member</Code> and the scope <Code>runs:write</Code> alone, and
            give it to the collector as the environment variable <Code>RUNCOST_TOKEN</Code>.
          </List.Item>
          <List.Item>Add this exporter to the collector&apos;s configuration and restart it:</List.Item>
        </List>
        <Stack gap={4} align="flex-start">
          <CopyButton text={configurationFor(address)} what="the configuration" />
          <CodeBlock label="The collector's configuration">{configurationFor(address)}</CodeBlock>
        </Stack>
        <Text size="sm">
          A run that GitHub or GitLab also tells by their webhooks is recorded once. Spans that cannot be
          recorded are named, with the reason, in the collector&apos;s log.
        </Text>
      </Stack>
    </Panel>
  );
}

function configurationFor(address: string): string {
  return `exporters:
  otlphttp/runcost:
    endpoint: ${address}
    headers:
      Authorization: Bearer \${env:RUNCOST_TOKEN}

service:
  pipelines:
    traces/ci:
      receivers: [otlp] # or github, gitlab: what receives the traces of your CI
      exporters: [otlphttp/runcost]`;
}
