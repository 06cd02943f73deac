import { Button, Stack } from '@mantine/core';
import { Link } from 'wouter';
import { useCommandLine } from '../api/session.ts';
import { CommandFold } from '../ui/CommandFold.tsx';
import { Empty } from '../ui/Empty.tsx';

/** The next step of an organization without a single run. */
export function NoRuns() {
  const command = useCommandLine();
  return (
    <Empty title="No runs yet">
      <Stack gap="sm" align="center">
        Connect your CI. The first run and its cost appear here when it arrives.
        <Button component={Link} href="/sources" size="sm">
          Connect your CI
        </Button>
        <CommandFold
          title="Look around first, with the costs of a made-up company"
          label="the command for the demo"
          command={`${command} demo`}
        />
      </Stack>
    </Empty>
  );
}
