import { Badge, Box, Card, Code, Group, Stack, Text } from '@mantine/core';
import type { CSSProperties } from 'react';
import { sentence } from '../../../ui/figures.ts';
import { When } from '../../../ui/When.tsx';
import { Phases } from './Phases.tsx';
import type { Attempt } from './queries.ts';
import { lastErrorInWords, outcomeWords } from './words.ts';

const colors = { in_flight: 'blue', success: 'green', failure: 'red', unknown: 'gray' };

/** An error page is often one long line. */
const wrapping: CSSProperties = { whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' };

type Props = {
  attempt: Attempt;
  /** Whether it is a ping: someone just requested it, and it is not retried. */
  isPing?: boolean;
};

export function AttemptView({ attempt, isPing = false }: Props) {
  const { outcome, error_class: errorClass } = attempt;
  return (
    <Card withBorder p="sm" component="article" aria-label={`Attempt ${attempt.number}`}>
      <Stack gap="xs">
        <Group gap="xs" justify="space-between">
          <Group gap="xs">
            <Text fw={600}>Attempt {attempt.number}</Text>
            <Badge variant="dot" color={colors[outcome]} tt="none">
              {outcomeWords[outcome]}
            </Badge>
            {attempt.response_code !== null && <Text>{attempt.response_code}</Text>}
          </Group>
          <Text size="sm" c="dimmed">
            {attempt.reason === 'resend' && !isPing ? 'manual resend · ' : ''}
            <When at={attempt.started_at} />
          </Text>
        </Group>
        {(errorClass !== null || attempt.message !== null) && (
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {sentence(lastErrorInWords({ ...attempt, at: attempt.started_at }))}
          </Text>
        )}
        <Phases attempt={attempt} />
        <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          Sent to {attempt.url}
        </Text>
        {attempt.response_body && (
          <Stack gap={4}>
            <Text size="sm">{attempt.response_truncated ? 'Response (truncated)' : 'Response'}</Text>
            <Box
              role="region"
              aria-label={`Response to attempt ${attempt.number}`}
              tabIndex={0}
              mah={160}
              style={{ overflow: 'auto' }}
            >
              <Code block style={{ ...wrapping, overflow: 'visible' }}>
                {attempt.response_body}
              </Code>
            </Box>
          </Stack>
        )}
      </Stack>
    </Card>
  );
}
