import { Anchor, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import { useCommandLine } from '../../../api/session.ts';
import { CodeBlock } from '../../../ui/CodeBlock.tsx';
import { CopyButton } from '../../../ui/CopyField.tsx';
import { Empty } from '../../../ui/Empty.tsx';

/** What backfills are for, and the ways to one. */
export function NoBackfills() {
  const command = `GITHUB_TOKEN=… ${useCommandLine()} backfill github \\
  --repo owner/name --since 90d`;
  return (
    <Empty title="No backfills yet">
      <Stack gap="sm">
        <Text size="sm">
          A backfill reads the runs of a repository from GitHub’s API, so that costs do not begin on the day
          Runcost was connected. Give a source a token or a GitHub App first, under{' '}
          <Anchor component={Link} href="/settings/sources" underline="always">
            Settings, Sources
          </Anchor>
          : from then on missed deliveries are looked for every night as well.
        </Text>
        <Text size="sm">Or once, where Runcost runs:</Text>
        <Stack gap="xs" ta="left" align="flex-end">
          <CodeBlock label="Command that brings in the runs of a repository">{command}</CodeBlock>
          <CopyButton text={command} what="the command" />
        </Stack>
      </Stack>
    </Empty>
  );
}
