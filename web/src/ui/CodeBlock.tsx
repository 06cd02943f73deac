import { Box, Code } from '@mantine/core';

export function CodeBlock({ label, children, mah = 320 }: { label: string; children: string; mah?: number }) {
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
