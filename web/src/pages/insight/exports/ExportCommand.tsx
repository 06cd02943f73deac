import { useCommandLine } from '../../../api/session.ts';
import { CommandFold } from '../../../ui/CommandFold.tsx';

export function ExportCommand() {
  const command = `${useCommandLine()} export \\
  --dataset jobs --format csv \\
  ${lastMonth()} --output jobs.csv`;
  return (
    <CommandFold
      title="From the command line"
      label="Command that writes an export to a file"
      command={command}
    />
  );
}

/** The last month in UTC days, as exports expect. */
function lastMonth(): string {
  const now = new Date();
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()];
  const day = (of: number) => new Date(of).toISOString().slice(0, 10);
  return `--from ${day(Date.UTC(year, month - 1, 1))} --to ${day(Date.UTC(year, month, 0))}`;
}
