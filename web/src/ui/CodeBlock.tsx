import { Box, Code } from '@mantine/core';
import type { ReactNode } from 'react';

type Props = { label: string; children: ReactNode; mah?: number };

export function CodeBlock({ label, children, mah = 320 }: Props) {
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
