import { Anchor, Box, Code } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { AuditEntry } from './queries.ts';

/** The entry as it is stored, for those who need each field. */
export function AuditDetails({ entry: { actor, action, target, details } }: { entry: AuditEntry }) {
  const [isOpen, { toggle }] = useDisclosure();
  return (
    <>
      <Anchor component="button" type="button" size="xs" c="dimmed" aria-expanded={isOpen} onClick={toggle}>
        {isOpen ? 'Hide details' : 'Details'}
      </Anchor>
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
