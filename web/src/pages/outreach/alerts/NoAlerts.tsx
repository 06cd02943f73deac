import { Button, Card, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { Link } from 'wouter';
import { alertTypes } from '../../../alerts/alertTypes.ts';
import type { DescribedType } from '../../../alerts/types.ts';
import { ruleInWords } from '../../../alerts/words.ts';
import { Note } from '../../../ui/Note.tsx';
import { usePreview, useWhyNoChange, type PreviewedRule } from './alertQueries.ts';

const whole: Omit<PreviewedRule, 'alert_type'> = {
  scope: { type: 'organization' },
  threshold_amount: null,
  check_frequency: 'daily',
  period: 'month',
};

export function NoAlerts() {
  return (
    <>
      <div>
        <Title order={2} size="h4">
          No alerts yet
        </Title>
        <Note>
          Get an email, a chat message, a page or a webhook when CI costs too much. Most teams start with
          these.
        </Note>
      </div>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        {alertTypes().map((type) => (
          <Suggestion key={type.type} type={type} />
        ))}
      </SimpleGrid>
    </>
  );
}

function Suggestion({ type: { type, title, noun, about } }: { type: DescribedType }) {
  const rule = { ...whole, alert_type: type };
  const reason = useWhyNoChange();
  const preview = usePreview(rule);
  const suggested = preview.data?.suggested_threshold ?? null;
  const fields = { alert_type: rule.alert_type, check_frequency: rule.check_frequency };
  const threshold = suggested === null ? {} : { threshold_amount: String(suggested) };
  return (
    <Card withBorder component="section" aria-label={title} p="lg">
      <Stack gap="sm" h="100%">
        <Title order={2} size="h4">
          {title}
        </Title>
        <Text size="sm">{about}</Text>
        <Text
          size="sm"
          fw={suggested === null ? 400 : 600}
          {...(suggested === null && { c: 'dimmed' })}
          mih={22}
          mt="auto"
          aria-live="polite"
        >
          {preview.isPending
            ? 'Looking for a threshold …'
            : suggested === null
              ? 'Not enough history to suggest a threshold.'
              : `Suggested: ${ruleInWords({ ...rule, threshold_amount: suggested })}`}
        </Text>
        {reason === null && (
          <Group>
            <Button component={Link} href={`/alerts/new?${new URLSearchParams({ ...fields, ...threshold })}`}>
              Set up {noun} alert
            </Button>
          </Group>
        )}
      </Stack>
    </Card>
  );
}
