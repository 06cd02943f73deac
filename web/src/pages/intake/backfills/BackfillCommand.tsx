import { useCommandLine } from '../../../api/session.ts';
import { CommandFold } from '../../../ui/CommandFold.tsx';

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
