import { Card, Group, Stack, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Column, Order } from './columns.ts';
import { CsvButton } from './CsvButton.tsx';
import { DataTable } from './DataTable.tsx';
import { Empty } from './Empty.tsx';
import { Loaded } from './Loaded.tsx';
import { Pager, type Pagination } from './Pager.tsx';
import { useAddress } from './useAddress.ts';

type Props<Data, Row> = {
  /** Of the table, such as `Members`. */
  label: string;
  query: UseQueryResult<Data>;
  rowsOf: (data: Data) => readonly Row[];
  /** If the list comes in pages, the page is in the address. `one` is what is listed, such as `rule`. */
  pages?: { one: string; of: (data: Data) => Pagination };
  columns: readonly Column<Row>[];
  keyOf: (row: Row) => string;
  hrefOf?: (row: Row) => string;
  minWidth: number;
  order?: Order;
  /** Has the rows come in another order. Without it, they are sorted here if all are here. */
  onOrder?: (order: Order) => void;
  /** What to do if there is none. */
  empty: { title: string; text: ReactNode; action?: ReactNode; more?: ReactNode };
  /** Of the CSV, without its ending. Without it there is no CSV. */
  fileName?: string;
  /** Beside the actions: a choice of what is listed, or a word about it. */
  lead?: ReactNode;
  actions?: ReactNode;
  /** Whether the actions stand beside the page's title where there is room (`.of-page`). */
  isOfPage?: boolean;
  /** Whether an empty list says so in one line: its lead and its actions are enough. */
  isQuiet?: boolean;
  /** The dialogs. */
  children?: ReactNode;
};

/** A list of things that people add and remove. */
export function ResourcePanel<Data, Row>(props: Props<Data, Row>) {
  const { label, query, rowsOf, pages, columns, keyOf, hrefOf, minWidth, order, onOrder, empty, fileName } =
    props;
  const [, change] = useAddress();
  const rows = query.data === undefined ? [] : rowsOf(query.data);
  const isEmpty = query.data !== undefined && rows.length === 0 && !pages?.of(query.data).total;
  const hasCsv = fileName !== undefined && (rows.length > 0 || query.isPending);
  const { isOfPage = false, isQuiet = false } = props;
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
            {props.actions && (!isEmpty || props.lead) && (
              // Beside a lead its place stays: it can be a line of its own, and the rest would move.
              <Group gap="xs" {...(isEmpty && !isQuiet && { style: { visibility: 'hidden' } })}>
                {props.actions}
              </Group>
            )}
          </Group>
        </Group>
      )}
      <Loaded query={query} height={240}>
        {(data) => {
          const pagination = pages?.of(data);
          if (isEmpty)
            return isQuiet ? (
              empty.text && (
                <Card withBorder p="md" fz="sm" c="dimmed">
                  {empty.title}. {empty.text}
                </Card>
              )
            ) : (
              <Empty title={empty.title}>
                {empty.text}
                {(props.actions ?? empty.action) && (
                  <Group justify="center" mt="sm" gap="xs">
                    {props.actions ?? empty.action}
                  </Group>
                )}
                {empty.more}
              </Empty>
            );
          return (
            <>
              <Card withBorder p={0}>
                <DataTable
                  {...{ label, rows, columns, keyOf, minWidth }}
                  {...(order && { order })}
                  {...(onOrder && { onOrder })}
                  {...(hrefOf && { hrefOf })}
                  isPart={!!pagination && pagination.total > rows.length}
                  isStacked
                />
              </Card>
              {pages && pagination && (
                <Pager
                  pagination={pagination}
                  one={pages.one}
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
