import { Button, Card, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { ruleInWords } from '../../../alerts/words.ts';
import { usePreview, useWhyNoChange, type PreviewedRule } from './alertQueries.ts';

const budget: PreviewedRule = {
  alert_type: 'budget',
  scope: { type: 'organization' },
  threshold_amount: null,
  check_frequency: 'daily',
  period: 'month',
};
const anomaly: PreviewedRule = { ...budget, alert_type: 'anomaly' };

export function NoAlerts() {
  return (
    <>
      <div>
        <Title order={2} size="h4">
          No alerts yet
        </Title>
        <Text size="sm" c="dimmed">
          Get an email, a chat message or a webhook when CI costs too much. Most teams start with these two.
        </Text>
      </div>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Suggestion title="Budget" rule={budget} label="Set up a budget">
          Notifies you once when a day, week or month goes over an amount.
        </Suggestion>
        <Suggestion title="Anomaly" rule={anomaly} label="Set up an anomaly alert">
          Notifies you when a day costs much more than that weekday usually does, such as when a job runs
          away.
        </Suggestion>
      </SimpleGrid>
    </>
  );
}

type Props = { title: string; rule: PreviewedRule; label: string; children: ReactNode };

function Suggestion({ title, rule, label, children }: Props) {
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
        <Text size="sm">{children}</Text>
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
              {label}
            </Button>
          </Group>
        )}
      </Stack>
    </Card>
  );
}
