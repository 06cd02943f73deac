import { Button, Card, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { ruleInWords } from '../../../alerts/words.ts';
import { Empty } from '../../../ui/Empty.tsx';
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
      <Empty title="No alerts yet">
        Runcost notifies you by email, chat or webhook when CI costs too much. Most teams start with these
        two.
      </Empty>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Suggestion title="Budget" name="Monthly budget" rule={budget} label="Set up a budget">
          Triggers once per period when spending in a day, week or calendar month exceeds an amount. Webhooks
          also get an event at 50%, 75%, 90% and 100%.
        </Suggestion>
        <Suggestion title="Anomaly" name="Unusual day" rule={anomaly} label="Set up an anomaly alert">
          Triggers when spending rises by more than a percentage above normal for that weekday, so quiet
          weekends and busy Mondays cause no false alarms. It catches a runaway job before a budget does.
        </Suggestion>
      </SimpleGrid>
    </>
  );
}

type Props = { title: string; name: string; rule: PreviewedRule; label: string; children: ReactNode };

function Suggestion({ title, name, rule, label, children }: Props) {
  const reason = useWhyNoChange();
  const preview = usePreview(rule);
  const suggested = preview.data?.suggested_threshold ?? null;
  const fields = { name, alert_type: rule.alert_type, check_frequency: rule.check_frequency };
  const threshold = suggested === null ? {} : { threshold_amount: String(suggested) };
  return (
    <Card withBorder component="section" aria-label={title} p="lg">
      <Stack gap="sm" h="100%">
        <Title order={2} size="h4">
          {title}
        </Title>
        <Text size="sm">{children}</Text>
        <Text fw={600} mih={25} mt="auto" aria-live="polite">
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
