import { Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Pick } from '../../../analysis/Pick.tsx';
import { zoneName } from '../../../api/calendar.ts';
import { numberColumn, statusColumn, textColumn, timeColumn } from '../../../ui/cells.tsx';
import type { Column } from '../../../ui/columns.ts';
import { DataTable } from '../../../ui/DataTable.tsx';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Pager } from '../../../ui/Pager.tsx';
import { Empty, Panel } from '../../../ui/Panel.tsx';
import { SmallButton } from '../../../ui/rights.tsx';
import { orderIn, pageIn, sortOfOrder, useAddress } from '../../../ui/useAddress.ts';
import { DeliveryView } from './DeliveryView.tsx';
import { deliveriesQuery, eventTypesQuery, type Delivery } from './queries.ts';
import { deliveryStatuses, errorInWords, milliseconds } from './words.ts';

const perPage = 25;
const all = 'all';
const sorts = ['event', 'status', 'created_at', 'attempts', 'response_time', 'next_attempt'] as const;
type Filter = Parameters<typeof deliveriesQuery>[1];

type Props = { webhookId: string; reason: string | null; onResendMany: () => void };

export function Deliveries({ webhookId, reason, onResendMany }: Props) {
  const [address, changeAddress] = useAddress();
  const types = useQuery(eventTypesQuery);
  const event = address.get('event');
  const status = deliveryStatuses.find(([word]) => word === address.get('status'))?.[0] ?? null;
  const order = orderIn(sorts, address, { column: 'created_at', isDescending: true });
  const filter = {
    page: pageIn(address),
    per_page: perPage,
    sort_by: order.column,
    sort_order: order.isDescending ? 'desc' : 'asc',
    ...(event && { event }),
    ...(status && { status }),
  };
  const deliveries = useQuery(deliveriesQuery(webhookId, filter as Filter));
  const isFiltered = event !== null || status !== null;
  const known = (types.data ?? []).map(({ name }) => name as string);
  const eventNames = event === null || known.includes(event) ? known : [...known, event];
  if (deliveries.data?.pagination.total === 0 && !isFiltered) {
    return <Empty title="No deliveries yet">Send a ping: the result appears here.</Empty>;
  }
  return (
    <Panel
      title="Deliveries"
      aside={
        <SmallButton reason={reason} onClick={onResendMany}>
          Resend many…
        </SmallButton>
      }
    >
      <Group gap="xs">
        <Pick
          label="Event"
          value={event ?? all}
          options={[{ value: all, title: 'All' }, ...eventNames.map((value) => ({ value, title: value }))]}
          onChange={(value) => changeAddress({ event: value === all ? null : value })}
        />
        <Pick
          label="Status"
          value={status ?? all}
          options={[
            { value: all, title: 'All' },
            ...deliveryStatuses.map(([value, label]) => ({ value, title: label.replace(/:.*/, '') })),
          ]}
          onChange={(value) => changeAddress({ status: value === all ? null : value })}
        />
      </Group>
      <Loaded query={deliveries} height={360}>
        {({ deliveries: rows, pagination }) => (
          <Stack gap="sm">
            {rows.length === 0 ? (
              <Empty title="No matching deliveries">Choose another event or status.</Empty>
            ) : (
              <DataTable
                label="Deliveries"
                isStacked
                minWidth={860}
                rows={rows}
                columns={columnsAt(new Date())}
                order={order}
                onOrder={(next) => changeAddress(sortOfOrder(next))}
                details={{
                  of: ({ id }) => <DeliveryView webhookId={webhookId} deliveryId={id} reason={reason} />,
                  label: ({ event: name, created_at: at }, isOpen) =>
                    `${isOpen ? 'Hide' : 'Show'} the attempts of ${name}, ${at}`,
                }}
              />
            )}
            {pagination.total > 0 && (
              <Pager
                pagination={pagination}
                one="delivery"
                many="deliveries"
                onPage={(page) => changeAddress({ page: String(page) })}
              />
            )}
          </Stack>
        )}
      </Loaded>
    </Panel>
  );
}

const columnsAt = (now: Date): Column<Delivery>[] => [
  textColumn('Event', ({ event }) => event, { sort: 'event' }),
  statusColumn(({ status }) => status, { sort: 'status' }),
  timeColumn(`Created (${zoneName(now)})`, ({ created_at: at }) => at, {
    sort: 'created_at',
    isPlain: true,
    look: { inRow: true },
  }),
  {
    title: 'Attempts',
    sort: 'attempts',
    isNumber: true,
    isPlain: true,
    cell: ({ attempts }) => (
      <>
        {attempts}
        <span className="mantine-hidden-from-sm">{attempts === 1 ? ' attempt' : ' attempts'}</span>
      </>
    ),
  },
  {
    title: 'Last response',
    isPlain: true,
    className: 'delivery-response',
    cell: ({ error_class: error, response_code: code }) => {
      if (error === null) return code === null ? '–' : `HTTP ${code}`;
      const words = errorInWords(error);
      return <span title={words}>{code === null ? words : `HTTP ${code}`}</span>;
    },
  },
  numberColumn('Duration', ({ response_time_ms: time }) => time, milliseconds, {
    sort: 'response_time',
    isPlain: true,
  }),
  timeColumn('Next attempt', ({ next_attempt_at: at }) => at, {
    sort: 'next_attempt',
    look: { isNext: true },
  }),
];
