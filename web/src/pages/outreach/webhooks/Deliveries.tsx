import { ActionIcon, Box, Group, Stack } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Fragment, useState } from 'react';
import { Pick } from '../../../analysis/Pick.tsx';
import { zoneName } from '../../../api/calendar.ts';
import { orderAfter, type Order } from '../../../ui/columns.ts';
import { Empty } from '../../../ui/Empty.tsx';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Pager } from '../../../ui/Pager.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { AllowedButton } from '../../../ui/rights.tsx';
import { SortedColumn } from '../../../ui/SortedColumn.tsx';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { orderIn, pageIn, sortOfOrder, useAddress } from '../../../ui/useAddress.ts';
import { When } from '../../../ui/When.tsx';
import { WideTable } from '../../../ui/WideTable.tsx';
import { DeliveryView } from './DeliveryView.tsx';
import { deliveriesQuery, eventTypesQuery, type Delivery } from './queries.ts';
import { deliveryStatuses, errorInWords, milliseconds } from './words.ts';

const perPage = 25;
const all = 'all';
const sorts = ['event', 'status', 'created_at', 'attempts', 'response_time', 'next_attempt'] as const;
type Heading = { title: string; sort?: (typeof sorts)[number]; isNumber?: boolean };
const columns = (): Heading[] => [
  { title: 'Event', sort: 'event' },
  { title: 'Status', sort: 'status' },
  { title: `Created (${zoneName(new Date())})`, sort: 'created_at' },
  { title: 'Attempts', sort: 'attempts', isNumber: true },
  { title: 'Last response' },
  { title: 'Duration', sort: 'response_time', isNumber: true },
  { title: 'Next attempt', sort: 'next_attempt' },
  { title: 'Details' },
];
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
        <AllowedButton size="compact-sm" variant="default" reason={reason} onClick={onResendMany}>
          Resend many…
        </AllowedButton>
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
              <DeliveryTable
                rows={rows}
                webhookId={webhookId}
                reason={reason}
                order={order}
                onOrder={(next) => changeAddress(sortOfOrder(next))}
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

type TableProps = {
  rows: Delivery[];
  webhookId: string;
  reason: string | null;
  order: Order;
  onOrder: (order: Order) => void;
};

function DeliveryTable({ rows, webhookId, reason, order, onOrder }: TableProps) {
  const [openId, setOpenId] = useState<string | null>(null);
  return (
    <Box style={{ containerType: 'inline-size' }}>
      <WideTable isStacked label="Deliveries" minWidth={860}>
        <thead>
          <tr>
            {columns().map((column) => (
              <Header key={column.title} column={column} order={order} onOrder={onOrder} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((delivery) => (
            <Fragment key={delivery.id}>
              <Row
                delivery={delivery}
                isOpen={openId === delivery.id}
                toggle={() => setOpenId(openId === delivery.id ? null : delivery.id)}
              />
              {openId === delivery.id && (
                <tr id={`of-${delivery.id}`}>
                  <td colSpan={8} style={{ padding: 'var(--mantine-spacing-md)' }}>
                    {/* As wide as the visible part of the table, however long the lines of a response are. */}
                    <Box pos="sticky" left={16} w="calc(100cqw - 32px)" style={{ whiteSpace: 'normal' }}>
                      <DeliveryView webhookId={webhookId} deliveryId={delivery.id} reason={reason} />
                    </Box>
                  </td>
                </tr>
              )}
            </Fragment>
          ))}
        </tbody>
      </WideTable>
    </Box>
  );
}

type HeaderProps = Pick<TableProps, 'order' | 'onOrder'> & { column: Heading };

function Header({ column, order, onOrder }: HeaderProps) {
  const { title, sort, isNumber = false } = column;
  const className = isNumber ? 'number' : '';
  if (!sort)
    return (
      <th scope="col" className={className}>
        {title}
      </th>
    );
  return (
    <SortedColumn
      label={title}
      className={className}
      order={order.column !== sort ? null : order.isDescending ? 'desc' : 'asc'}
      onSort={() => onOrder(orderAfter({ title, sort, isNumber }, order))}
    />
  );
}

function Row({ delivery, isOpen, toggle }: { delivery: Delivery; isOpen: boolean; toggle: () => void }) {
  const { error_class: errorClass, response_code: code } = delivery;
  return (
    <tr
      className="clickable"
      onClick={(event) => {
        const isOwn = event.target instanceof Element && event.target.closest('button');
        if (!isOwn && !window.getSelection()?.toString()) toggle();
      }}
    >
      <th scope="row" className="row-name">
        {delivery.event}
      </th>
      <td className="row-beside">
        <StatusBadge status={delivery.status} />
      </td>
      <td className="row-plain" data-title="Created">
        <When at={delivery.created_at} inRow />
      </td>
      <td className="number row-plain" data-title="Attempts">
        {delivery.attempts}
        <span className="mantine-hidden-from-sm">{delivery.attempts === 1 ? ' attempt' : ' attempts'}</span>
      </td>
      <td
        className="row-plain delivery-response"
        data-title="Last response"
        data-none={(code === null && errorClass === null) || undefined}
        title={errorClass === null ? undefined : errorInWords(errorClass)}
      >
        {code !== null ? `HTTP ${code}` : errorClass === null ? '–' : errorInWords(errorClass)}
      </td>
      <td
        className="number row-plain"
        data-title="Duration"
        data-none={delivery.response_time_ms === null || undefined}
      >
        {delivery.response_time_ms === null ? '–' : milliseconds(delivery.response_time_ms)}
      </td>
      <td data-title="Next attempt" data-none={delivery.next_attempt_at === null || undefined}>
        <When at={delivery.next_attempt_at} isNext />
      </td>
      <td className="row-actions">
        <ActionIcon
          size={26}
          variant="subtle"
          color="gray"
          className="row-icon"
          aria-expanded={isOpen}
          aria-controls={isOpen ? `of-${delivery.id}` : undefined}
          aria-label={`${isOpen ? 'Hide' : 'Show'} the attempts of ${delivery.event}, ${delivery.created_at}`}
          onClick={toggle}
        >
          <IconChevronDown size={16} aria-hidden style={{ rotate: isOpen ? '180deg' : '0deg' }} />
        </ActionIcon>
      </td>
    </tr>
  );
}
