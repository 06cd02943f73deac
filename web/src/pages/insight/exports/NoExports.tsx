import { Stack, Text } from '@mantine/core';
import { useCommandLine } from '../../../api/session.ts';
import { CodeBlock } from '../../../ui/CodeBlock.tsx';
import { CopyButton } from '../../../ui/CopyField.tsx';

export function NoExports() {
  const command = `${useCommandLine()} export --dataset jobs --format csv \\
  --from 2026-03-01 --to 2026-03-31 --output march.csv`;
  return (
    <Stack gap="sm">
      <Text size="sm">
        An export is a file with your runs, jobs or costs, for a spreadsheet, a data warehouse or a FinOps
        tool that reads FOCUS. We write it in the background and keep it for 24 hours.
      </Text>
      <Text size="sm">Create one with the button above, or run this on the server:</Text>
      <Stack gap="xs" ta="left" align="flex-end">
        <CodeBlock label="Command that writes an export to a file">{command}</CodeBlock>
        <CopyButton text={command} what="the command" />
      </Stack>
    </Stack>
  );
}
