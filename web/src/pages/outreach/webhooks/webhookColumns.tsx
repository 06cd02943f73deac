import { Code, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { nameOf, shortUrl } from '../../../parts/webhooks/webhookNames.ts';
import { statusColumn, timeColumn } from '../../../ui/cells.tsx';
import type { Column } from '../../../ui/columns.ts';
import { count, sentence } from '../../../ui/figures.ts';
import { plainError } from '../../../ui/plainError.ts';
import { Note, statusInWords, TextLink, When } from '../../../ui/text.tsx';
import { webhookQuery, type Webhook } from './queries.ts';
import './webhooks.css';
import { arrivedInWords, arrivedFraction, lastErrorInWords, statusWords, type LastError } from './words.ts';

/** Each explanation takes a request. */
const maxExplained = 8;

export function webhookColumns(webhooks: readonly Webhook[]): Column<Webhook>[] {
  const asked = webhooks
    .filter(({ status }) => status !== 'active')
    .slice(0, maxExplained)
    .map(({ id }) => id);
  return [
    {
      title: 'Webhook',
      value: nameOf,
      csv: ({ name, url }) => (name === null ? url : `${name} ${url}`),
      cell: NameLink,
      className: 'webhook-name',
    },
    {
      title: 'Events',
      isPlain: true,
      value: ({ events }) => events.length,
      csv: ({ events }) => events.join(' '),
      cell: ({ events }) => <Events events={events} />,
      className: 'breaking',
    },
    statusColumn(shownStatus),
    {
      title: 'Latest deliveries',
      isHiddenOnPhones: true,
      value: ({ latest_deliveries: statuses }) => arrivedFraction(statuses),
      csv: ({ latest_deliveries: statuses }) => arrivedInWords(statuses),
      cell: LatestBars,
    },
    {
      title: 'Last delivery',
      isPlain: true,
      value: ({ last_delivery_at: at }) => at,
      className: 'webhook-last',
      cell: (webhook) => <LastDelivery webhook={webhook} isExplained={asked.includes(webhook.id)} />,
    },
    ...(webhooks.some(({ failing_since: at }) => at !== null)
      ? [timeColumn('Failing since', ({ failing_since: at }: Webhook) => at, { isHiddenOnPhones: true })]
      : []),
  ];
}

export function Events({ events }: Pick<Webhook, 'events'>) {
  return (
    <Group component="span" gap="2px 4px">
      {events.map((event) => (
        <Code key={event}>{event}</Code>
      ))}
    </Group>
  );
}

export const addressOf = ({ id }: Webhook) => `/webhooks/${id}`;

function NameLink(webhook: Webhook) {
  return (
    <>
      <TextLink href={addressOf(webhook)} size="sm" fw={500}>
        {nameOf(webhook)}
      </TextLink>
      {webhook.name !== null && (
        <Text size="xs" c="dimmed" lineClamp={2} style={{ overflowWrap: 'anywhere' }}>
          {shortUrl(webhook.url)}
        </Text>
      )}
    </>
  );
}

/** One bar per delivery, the newest on the right. */
function LatestBars({ latest_deliveries: statuses }: Webhook) {
  if (statuses.length === 0) return arrivedInWords(statuses);
  const failed = statuses.filter((status) => status === 'failed').length;
  return (
    <Group gap={8} wrap="nowrap">
      <span
        className="latest-bars"
        role="img"
        aria-label={`Latest ${count(statuses.length)}: ${count(failed)} failed`}
        title="The latest deliveries, the newest on the right"
      >
        {statuses.map((status, index) => (
          <span key={index} data-status={status} />
        ))}
      </span>
      {arrivedInWords(statuses)}
    </Group>
  );
}

/** A failed ping is not retried, so it shows as failing. */
export function shownStatus(webhook: Omit<Webhook, 'latest_deliveries'>): string {
  const { status, last_delivery_status: last, next_attempt_at: next } = webhook;
  if (status !== 'active' || last !== 'failed') return status;
  return next === null ? 'failing' : 'retrying';
}

function LastDelivery({ webhook, isExplained }: { webhook: Webhook; isExplained: boolean }) {
  const { last_delivery_status: status, last_delivery_at: at, last_response_code: code } = webhook;
  return (
    <div>
      {at === null ? (
        'Nothing sent yet'
      ) : (
        <div>
          {status && `${status === 'success' ? 'Delivered' : sentence(statusInWords(status))} `}
          <When at={at} />
          {code !== null && `, HTTP ${code}`}
        </div>
      )}
      <RetryAt webhook={webhook} />
      {webhook.status !== 'active' && <Reason webhook={webhook} isExplained={isExplained} />}
    </div>
  );
}

function RetryAt({ webhook }: { webhook: Webhook }) {
  const { status, last_delivery_status: last, next_attempt_at: at } = webhook;
  if (last !== 'failed' || status === 'paused' || at === null) return null;
  return (
    <Note size="xs">
      Retry at <When at={at} full />
    </Note>
  );
}

/** The reason for the status. Only the single webhook's endpoint returns it in full. */
function Reason({ webhook, isExplained }: { webhook: Webhook; isExplained: boolean }) {
  const { data } = useQuery({
    ...webhookQuery(webhook.id),
    enabled: isExplained,
    refetchInterval: 60_000,
  });
  const error = (data?.health.last_error ?? null) as LastError | null;
  return (
    <Note size="xs" style={{ overflowWrap: 'anywhere' }}>
      {webhook.status === 'failing'
        ? `All five attempts of a delivery failed.${error ? ` Latest error: ${lastErrorInWords(error)}.` : ''}`
        : plainError(data?.health.status_reason ?? statusWords[webhook.status])}
    </Note>
  );
}
