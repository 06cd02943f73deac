import { Anchor } from '@mantine/core';
import { Link } from 'wouter';
import { useCommandLine } from '../../../api/session.ts';
import { CommandFold } from '../../../ui/CommandFold.tsx';

export function NoBackfills() {
  return (
    <>
      A backfill reads past runs of a repository from GitHub, so costs start before the day you connected it.
      It needs a token or GitHub App of a source in{' '}
      <Anchor component={Link} href="/sources" underline="always">
        Sources
      </Anchor>
      .
    </>
  );
}

export function BackfillCommand() {
  const command = `GITHUB_TOKEN=… ${useCommandLine()} \\
  backfill github --repo owner/name --since 90d`;
  return (
    <CommandFold
      title="From the command line"
      label="Command that backfills a repository"
      command={command}
    />
  );
}
