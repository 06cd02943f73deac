import { Button, Card, Group, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Empty } from '../../../ui/Empty.tsx';
import { usePreview, useWhyNoChange, type PreviewedRule } from './alertQueries.ts';
import { ruleInWords } from './words.ts';

const budget: PreviewedRule = {
  alert_type: 'budget',
  threshold_amount: null,
  check_frequency: 'daily',
  period: 'month',
};
const anomaly: PreviewedRule = { ...budget, alert_type: 'anomaly' };

/** What alerts are for, and the pair that most begin with. */
export function NoAlerts() {
  return (
    <>
      <Empty title="No alerts yet">
        An alert watches what CI costs and notifies you by email, chat or webhook when it costs too much. Most
        teams begin with these two. The suggested thresholds come from the last 90 days, without outliers.
      </Empty>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Suggestion title="A budget" name="Monthly budget" rule={budget} deed="Set up this budget">
          Triggers when the spend of a day, week or calendar month is greater than an amount, once a period.
          Webhooks also get an event when 50, 75, 90 and 100 % of it are crossed.
        </Suggestion>
        <Suggestion title="An anomaly" name="Unusual day" rule={anomaly} deed="Set up this anomaly alert">
          Triggers when spending rises by more than a percentage over what is usual for such a day, so that
          quiet weekends and busy Mondays do not cry wolf. It finds the runaway job that no budget shows yet.
        </Suggestion>
      </SimpleGrid>
    </>
  );
}

type Props = { title: string; name: string; rule: PreviewedRule; deed: string; children: ReactNode };

function Suggestion({ title, name, rule, deed, children }: Props) {
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
        <Skeleton visible={preview.isPending} mt="auto">
          <Text fw={600} mih={25}>
            {suggested === null
              ? 'Not enough history for a suggestion yet.'
              : `Suggested: ${ruleInWords({ ...rule, threshold_amount: suggested })}`}
          </Text>
        </Skeleton>
        {reason === null && (
          <Group>
            <Button
              component={Link}
              href={`/alerts/new?${new URLSearchParams({ ...fields, ...threshold })}`}
              loading={preview.isPending}
            >
              {deed}
            </Button>
          </Group>
        )}
      </Stack>
    </Card>
  );
}
