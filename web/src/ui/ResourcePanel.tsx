import { Card, Group, Stack, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Column, Order } from './columns.ts';
import { CsvButton, DataTable } from './DataTable.tsx';
import { Empty } from './Empty.tsx';
import { Loaded } from './Loaded.tsx';

type Props<Data, Row> = {
  /** Of the table, such as `Members`. */
  label: string;
  query: UseQueryResult<Data>;
  rowsOf: (data: Data) => readonly Row[];
  columns: readonly Column<Row>[];
  keyOf: (row: Row) => string;
  minWidth: number;
  order?: Order;
  /** What to do where there is none. */
  empty: { title: string; text: ReactNode };
  /** Of the CSV, without its ending. Without it there is no CSV. */
  fileName?: string;
  /** Beside the actions: a choice of what is listed, or a word about it. */
  lead?: ReactNode;
  actions?: ReactNode;
  footer?: (data: Data) => ReactNode;
  /** The dialogs. */
  children?: ReactNode;
};

/** A list of things that people add and remove. */
export function ResourcePanel<Data, Row>(props: Props<Data, Row>) {
  const { label, query, rowsOf, columns, keyOf, minWidth, order, empty, fileName, lead, footer } = props;
  const rows = query.data === undefined ? [] : rowsOf(query.data);
  return (
    <Stack gap="sm" component="section" aria-label={label}>
      <Group justify="space-between" gap="xs">
        <Text size="sm" c="dimmed" component="div" style={{ flex: '1 1 240px' }}>
          {lead}
        </Text>
        <Group gap="xs">
          {fileName && <CsvButton rows={rows} columns={columns} name={fileName} />}
          {props.actions}
        </Group>
      </Group>
      <Loaded query={query} height={240}>
        {(data) =>
          rows.length === 0 ? (
            <Empty title={empty.title}>{empty.text}</Empty>
          ) : (
            <>
              <Card withBorder p={0}>
                <DataTable {...{ label, rows, columns, keyOf, minWidth }} {...(order && { order })} />
              </Card>
              {footer?.(data)}
            </>
          )
        }
      </Loaded>
      {props.children}
    </Stack>
  );
}
