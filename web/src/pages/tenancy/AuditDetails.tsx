import { ActionIcon, Box, Code } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconChevronDown } from '@tabler/icons-react';
import type { AuditEntry } from './queries.ts';

/** The entry as it is stored, with every field. */
export function AuditDetails({ entry: { actor, action, target, details } }: { entry: AuditEntry }) {
  const [isOpen, { toggle }] = useDisclosure();
  return (
    <>
      <ActionIcon
        variant="subtle"
        color="gray"
        size={24}
        aria-label="Details"
        aria-expanded={isOpen}
        onClick={toggle}
      >
        <IconChevronDown size={16} aria-hidden style={{ rotate: isOpen ? '180deg' : '0deg' }} />
      </ActionIcon>
      {isOpen && (
        <Box mah={240} style={{ overflow: 'auto' }} role="region" aria-label="Details" tabIndex={0}>
          <Code block style={{ whiteSpace: 'pre-wrap', overflow: 'visible' }}>
            {JSON.stringify({ action, actor, target, details }, null, 2)}
          </Code>
        </Box>
      )}
    </>
  );
}
