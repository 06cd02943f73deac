import { Box, Code } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopyButton } from './CopyField.tsx';
import './command.css';
import './commandFold.css';

type Props = { label: string; what?: string; children: string };

export function Command({ label, what = 'the command', children }: Props) {
  return (
    <div className="command">
      <CodeBlock label={label}>
        {/* Lines break at spaces, not inside an option such as --since. */}
        {children
          .split(/(\s+)/)
          .map((part, index) => (/\S/.test(part) ? <span key={index}>{part}</span> : part))}
      </CodeBlock>
      <CopyButton text={children} what={what} />
    </div>
  );
}

type BlockProps = { label: string; children: ReactNode; mah?: number };

export function CodeBlock({ label, children, mah = 320 }: BlockProps) {
  return (
    <Box
      role="region"
      aria-label={label}
      tabIndex={0}
      mah={mah}
      maw="100%"
      style={{ overflow: 'auto', minWidth: 0 }}
    >
      <Code block style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        {children}
      </Code>
    </Box>
  );
}

type FoldProps = { title: string; label: string; command: string };

/** A command that does the same as a button. Folded, because most people use the button. */
export function CommandFold({ title, label, command }: FoldProps) {
  return (
    <details className="command-fold">
      <summary>{title}</summary>
      <Command label={label}>{command}</Command>
    </details>
  );
}
