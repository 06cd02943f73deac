import { Anchor, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import { useCommandLine } from '../../../api/session.ts';
import { CodeBlock } from '../../../ui/CodeBlock.tsx';
import { CopyButton } from '../../../ui/CopyField.tsx';

export function NoBackfills() {
  const command = `GITHUB_TOKEN=… ${useCommandLine()} backfill github \\
  --repo owner/name --since 90d`;
  return (
    <Stack gap="sm">
      <Text size="sm">
        A backfill reads past runs of a repository from GitHub’s API, so your costs start before the day you
        connected Runcost. First, add a token or GitHub App to a source in{' '}
        <Anchor component={Link} href="/sources" underline="always">
          Sources
        </Anchor>
        . We then also check for missed runs every night.
      </Text>
      <Text size="sm">Or run this once on the server:</Text>
      <Stack gap="xs" ta="left" align="flex-end">
        <CodeBlock label="Command that backfills a repository">{command}</CodeBlock>
        <CopyButton text={command} what="the command" />
      </Stack>
    </Stack>
  );
}
