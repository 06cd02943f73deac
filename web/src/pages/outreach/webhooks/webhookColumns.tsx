import { Anchor, Code, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { Column } from '../../../ui/columns.ts';
import { sentence } from '../../../ui/figures.ts';
import { plainError } from '../../../ui/plainError.ts';
import { StatusBadge, statusInWords } from '../../../ui/StatusBadge.tsx';
import { When } from '../../../ui/When.tsx';
import { webhookQuery, type Webhook } from './queries.ts';
import { lastErrorInWords, statusWords, type LastError } from './words.ts';

/** Each one takes a request. */
const maxExplained = 8;

export function webhookColumns(webhooks: readonly Webhook[]): Column<Webhook>[] {
  const asked = webhooks
    .filter(({ status }) => status !== 'active')
    .slice(0, maxExplained)
    .map(({ id }) => id);
  return [
    { title: 'URL', value: ({ url }) => url, cell: UrlLink },
    {
      title: 'Events',
      isPlain: true,
      value: ({ events }) => events.length,
      csv: ({ events }) => events.join(' '),
      cell: ({ events }) => (
        <Group gap={4}>
          {events.map((event) => (
            <Code key={event}>{event}</Code>
          ))}
        </Group>
      ),
    },
    {
      title: 'Status',
      isPlain: true,
      value: ({ status }) => status,
      className: 'long-text',
      cell: (webhook) => (
        <Stack gap={4} align="flex-start">
          <StatusBadge status={shownStatus(webhook)} />
          {webhook.status !== 'active' && (
            <Reason webhook={webhook} isExplained={asked.includes(webhook.id)} />
          )}
        </Stack>
      ),
    },
    {
      title: 'Last delivery',
      value: ({ last_delivery_at: at }) => at,
      cell: (webhook) => (webhook.last_delivery_at === null ? 'Never' : <LastDelivery {...webhook} />),
    },
    ...(webhooks.some(({ failing_since: at }) => at !== null)
      ? [
          {
            title: 'Failing since',
            value: ({ failing_since: at }: Webhook) => at,
            cell: ({ failing_since: at }: Webhook) => (at === null ? '–' : <When at={at} />),
          },
        ]
      : []),
  ];
}

export const addressOf = ({ id }: Webhook) => `/webhooks/${id}`;

function UrlLink(webhook: Webhook) {
  return (
    <Anchor component={Link} href={addressOf(webhook)} size="sm" fw={500} className="row-link">
      {webhook.url}
    </Anchor>
  );
}

/** A failed ping is not attempted again. */
export function shownStatus({ status, last_delivery_status: last, next_attempt_at: next }: Webhook): string {
  if (status !== 'active' || last !== 'failed') return status;
  return next === null ? 'failing' : 'retrying';
}

function LastDelivery(webhook: Webhook) {
  const { last_delivery_status: status, last_delivery_at: at, last_response_code: code } = webhook;
  return (
    <Stack gap={4} align="flex-start">
      <Text size="sm" component="div">
        {status && `${status === 'success' ? 'Delivered' : sentence(statusInWords(status))} `}
        <When at={at} />
        {code !== null && `, HTTP ${code}`}
      </Text>
      <RetryAt webhook={webhook} />
    </Stack>
  );
}

function RetryAt({ webhook }: { webhook: Webhook }) {
  const { status, last_delivery_status: last, next_attempt_at: at } = webhook;
  if (last !== 'failed' || status === 'paused' || at === null) return null;
  return (
    <Text size="sm">
      Retry at <When at={at} full />
    </Text>
  );
}

/** The reason for the status. Only the webhook's own resource has it in full. */
function Reason({ webhook, isExplained }: { webhook: Webhook; isExplained: boolean }) {
  const { data } = useQuery({
    ...webhookQuery(webhook.id),
    enabled: isExplained,
    refetchInterval: 60_000,
  });
  const error = (data?.health.last_error ?? null) as LastError | null;
  return (
    <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
      {webhook.status === 'failing'
        ? `All five attempts of a delivery failed.${error ? ` Latest error: ${lastErrorInWords(error)}.` : ''}`
        : plainError(data?.health.status_reason ?? statusWords[webhook.status])}
    </Text>
  );
}
