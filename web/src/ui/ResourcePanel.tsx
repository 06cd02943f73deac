import { Card, Group, Stack, Text } from '@mantine/core';
import type { Icon } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import type { Column, Order } from './columns.ts';
import { CsvButton } from './CsvButton.tsx';
import { DataTable, keyIn, type Keyed } from './DataTable.tsx';
import { Loaded } from './Loaded.tsx';
import { Pager, type Pagination } from './Pager.tsx';
import { Empty } from './Panel.tsx';
import { type RowActions } from './rowActions.tsx';
import { useAddress } from './useAddress.ts';

type Props<Data, Row> = {
  label: string;
  query: UseQueryResult<Data>;
  /** By default, the data is the list, or has it as its own `data`. */
  rowsOf?: (data: Data) => readonly Row[];
  /** What is listed, such as `rule`, for paged lists. Their page is in the address. */
  pagesOf?: string;
  columns: readonly Column<Row>[];
  /** Null without the rights. */
  rowActions?: RowActions<Row> | null;
  hrefOf?: (row: Row) => string;
  minWidth: number;
  order?: Order;
  /** Requests another order. Without it, complete lists are sorted here. */
  onOrder?: (order: Order) => void;
  /** Null if its lead and actions are enough. */
  empty: { icon?: Icon; title: string; text: ReactNode; action?: ReactNode; more?: ReactNode } | null;
  /** CSV file name without extension. Without it, there is no CSV. */
  fileName?: string;
  /** Shown beside the actions: a filter, or a note about the list. */
  lead?: ReactNode;
  actions?: ReactNode;
  /** Whether the actions are beside the page's title if there is room (`.of-page`). */
  isOfPage?: boolean;
  children?: ReactNode;
};

type Paged = { data: readonly unknown[]; pagination: Pagination };
type RowOf<Data> = Data extends readonly (infer Row)[] | { data: readonly (infer Row)[] } ? Row : never;

export function ResourcePanel<Data, Row = RowOf<Data>>(props: Props<Data, Row> & Keyed<Row>) {
  const {
    label,
    query,
    rowsOf = (data: Data) => (Array.isArray(data) ? data : (data as Paged).data) as readonly Row[],
    pagesOf,
    columns,
    hrefOf,
    minWidth,
    order,
    onOrder,
    empty,
    fileName,
  } = props;
  const [, change] = useAddress();
  const rows = query.data === undefined ? [] : rowsOf(query.data);
  const pagination = pagesOf === undefined ? undefined : (query.data as Paged | undefined)?.pagination;
  const isEmpty = query.data !== undefined && rows.length === 0 && !pagination?.total;
  const hasCsv = fileName !== undefined && (rows.length > 0 || query.isPending);
  const { isOfPage = false } = props;
  const emptyActions = props.lead ? empty?.action : (props.actions ?? empty?.action);
  return (
    <Stack gap="sm" component="section" aria-label={label}>
      {(props.lead || (props.actions && !isEmpty) || hasCsv) && (
        <Group
          justify="space-between"
          gap="xs"
          {...(isOfPage && !props.lead && { className: 'of-page-only' })}
        >
          <Text size="sm" c="dimmed" component="div" className="resource-lead">
            {props.lead}
          </Text>
          <Group gap="xs" className={isOfPage ? 'of-page' : 'resource-actions'}>
            {hasCsv && <CsvButton rows={rows} columns={columns} name={fileName} />}
            {/* Beside a lead they stay when the list is empty: they can be a line of their own, and the rest would move. */}
            {(!isEmpty || props.lead) && props.actions}
          </Group>
        </Group>
      )}
      <Loaded query={query} height={240}>
        {() => {
          if (isEmpty)
            return (
              empty && (
                <Empty title={empty.title} {...(empty.icon && { icon: empty.icon })}>
                  {empty.text}
                  {emptyActions && (
                    <Group justify="center" mt="sm" gap="xs">
                      {emptyActions}
                    </Group>
                  )}
                  {empty.more}
                </Empty>
              )
            );
          return (
            <>
              <Card withBorder p={0}>
                <DataTable
                  label={label}
                  rows={rows}
                  columns={columns}
                  rowActions={props.rowActions ?? null}
                  keyOf={keyIn<Row>(props)}
                  isStacked
                  minWidth={minWidth}
                  {...(order && { order })}
                  {...(onOrder && { onOrder })}
                  {...(hrefOf && { hrefOf })}
                  isPart={!!pagination && pagination.total > rows.length}
                />
              </Card>
              {pagesOf !== undefined && pagination && (
                <Pager
                  pagination={pagination}
                  one={pagesOf}
                  onPage={(page) => change({ page: page === 1 ? null : String(page) })}
                />
              )}
            </>
          );
        }}
      </Loaded>
      {props.children}
    </Stack>
  );
}
