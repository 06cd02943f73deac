import { Anchor, Box, Code, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { changesIn } from './auditWords.ts';

type Props = { details: Record<string, unknown>; names: ReadonlyMap<string, string> };

export function AuditDetails({ details, names }: Props) {
  const [isRaw, { toggle }] = useDisclosure();
  const changes = changesIn(details, names);
  if (Object.keys(details).length === 0) return null;
  return (
    <Stack gap={2} align="flex-start">
      {changes.map(({ field, before, after }) => (
        <Text key={field} size="sm">
          <b>{field}:</b> {before !== null && `${before} → `}
          {after}
        </Text>
      ))}
      <Anchor component="button" type="button" size="xs" aria-expanded={isRaw} onClick={toggle}>
        {isRaw ? 'Hide JSON' : 'Show JSON'}
      </Anchor>
      {isRaw && (
        <Box mah={240} style={{ overflow: 'auto' }} role="region" aria-label="Details as JSON" tabIndex={0}>
          <Code block style={{ whiteSpace: 'pre-wrap', overflow: 'visible' }}>
            {JSON.stringify(details, null, 2)}
          </Code>
        </Box>
      )}
    </Stack>
  );
}
