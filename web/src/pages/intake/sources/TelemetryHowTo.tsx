import { Code, List, Stack, Text } from '@mantine/core';
import { usePublicUrl } from '../../../api/session.ts';
import { Command } from '../../../ui/Command.tsx';
import { CopyField } from '../../../ui/CopyField.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { SmallButton } from '../../../ui/rights.tsx';
import { InText } from '../../../ui/text.tsx';

export function TelemetryHowTo({ onDone }: { onDone: () => void }) {
  const { url: address } = usePublicUrl();
  return (
    <Panel title="OpenTelemetry" aside={<SmallButton onClick={onDone}>Back to sources</SmallButton>}>
      <Stack maw={760}>
        <Text size="sm">
          Runcost can record any CI whose traces reach an OpenTelemetry collector. Spans with{' '}
          <Code>cicd.*</Code> and <Code>vcs.*</Code> attributes become runs and jobs. We ignore all other
          spans.
        </Text>
        <CopyField
          label="Traces endpoint"
          description="The public address of this server. Your collector may need a different one."
          what="the endpoint"
          value={`${address}/v1/traces`}
        />
        <List type="ordered" size="sm" spacing={6}>
          <List.Item>
            In <InText href="/settings/tokens">Settings, Tokens</InText>, create a token with the{' '}
            <Code>member</Code> role and only the <Code>runs:write</Code> scope. Set it as the environment
            variable <Code>RUNCOST_TOKEN</Code> of the collector.
          </List.Item>
          <List.Item>Add this exporter to the collector&apos;s configuration and restart it:</List.Item>
        </List>
        <Command label="The collector's configuration" what="the configuration">
          {configurationFor(address)}
        </Command>
        <Text size="sm">
          A run that a GitHub or GitLab webhook also reports is recorded once. The collector&apos;s log lists
          spans that could not be recorded, with the reason.
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
