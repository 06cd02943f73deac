import { Stack } from '@mantine/core';
import { CodeBlock } from './CodeBlock.tsx';
import { CopyButton } from './CopyField.tsx';
import './commandFold.css';

type Props = { title: string; label: string; command: string };

/** Another way to do what a button does: folded, because most people press the button. */
export function CommandFold({ title, label, command }: Props) {
  return (
    <details className="command-fold">
      <summary>{title}</summary>
      <Stack gap="xs" mt="xs" ta="left" align="flex-start">
        <CodeBlock label={label}>{command}</CodeBlock>
        <CopyButton text={command} what="the command" />
      </Stack>
    </details>
  );
}
