import { useState, type MouseEvent } from 'react';
import { useLocation } from 'wouter';
import { orderAfter, sortedBy, sortOf, type Column, type Order } from './columns.ts';
import { SortedColumn } from './SortedColumn.tsx';
import { WideTable } from './WideTable.tsx';

type Props<Row> = {
  label: string;
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  keyOf: (row: Row) => string;
  /** Pixels. It scrolls sideways on narrower screens. */
  minWidth: number;
  /** Pixels. A longer table scrolls. */
  maxHeight?: number;
  /** Limits the rows, after sorting. */
  maxRows?: number | undefined;
  /** Target of a click on the row. The row's name is the same link, for the keyboard. */
  hrefOf?: (row: Row) => string | null;
  /** The order; only the initial one without `onOrder`, because the table then sorts the rows itself. */
  order?: Order;
  onOrder?: (order: Order) => void;
  /** Whether other pages have more rows, so that sorting only these would mislead. */
  isPart?: boolean;
  onPoint?: ((row: Row | null) => void) | undefined;
  /** Whether a row takes two lines on a phone: its name with the actions, then the rest. */
  isStacked?: boolean;
};

/** The table of all lists: a click on a header sorts, a click on a row opens it. */
export function DataTable<Row>(props: Props<Row>) {
  const { label, rows, columns, keyOf, minWidth, maxHeight, isPart, onOrder, onPoint } = props;
  const { isStacked = false } = props;
  const isSorted = (column: Column<Row>) => (onOrder ? !!column.sort : !!column.value && !isPart);
  const [chosen, setChosen] = useState<Order | null>(props.order ?? null);
  const order = onOrder ? (props.order ?? null) : chosen;
  const shown = (onOrder ? rows : sortedBy(rows, columns, order)).slice(0, props.maxRows);
  const sortBy = (column: Column<Row>): void => (onOrder ?? setChosen)(orderAfter(column, order));
  return (
    <WideTable label={label} minWidth={minWidth} maxHeight={maxHeight} isStacked={isStacked}>
      <thead>
        <tr>
          {columns.map((column, index) => (
            <Header
              key={column.title}
              className={classOf(column, index)}
              title={column.title}
              order={order?.column === sortOf(column) ? order : null}
              onSort={isSorted(column) ? () => sortBy(column) : undefined}
            />
          ))}
        </tr>
      </thead>
      <tbody onPointerLeave={onPoint && (() => onPoint(null))}>
        {shown.map((row) => (
          <BodyRow
            key={keyOf(row)}
            row={row}
            columns={columns}
            href={props.hrefOf?.(row) ?? null}
            onPoint={onPoint}
          />
        ))}
      </tbody>
      {/* With a single row, the total would repeat it. */}
      {(rows.length > 1 || columns[0]?.total !== undefined) &&
        columns.some(({ total }) => total !== undefined) && (
          <tfoot>
            <tr>
              {columns.map((column, index) =>
                index === 0 ? (
                  <th key={column.title} scope="row" className={classOf(column, index)}>
                    {column.total ?? 'Total'}
                  </th>
                ) : (
                  <td key={column.title} className={classOf(column, index)} data-title={column.title}>
                    {column.total}
                  </td>
                ),
              )}
            </tr>
          </tfoot>
        )}
    </WideTable>
  );
}

/** These are lower case in the middle of a line on phones. */
const words = new Set(['Never', 'On', 'Off']);

function classOf<Row>(column: Column<Row>, index: number): string | undefined {
  const names = [
    index === 0 && 'row-name',
    column.isNumber && 'number',
    column.isMain && 'row-main',
    column.isPlain && 'row-plain',
    column.title === 'Actions' && 'row-actions',
    column.isHiddenOnPhones && 'mantine-visible-from-sm',
    column.className,
  ];
  return names.filter(Boolean).join(' ') || undefined;
}

type HeaderProps = {
  title: string;
  className: string | undefined;
  order: Order | null;
  onSort: (() => void) | undefined;
};

function Header({ title, className = '', order, onSort }: HeaderProps) {
  if (!onSort)
    return (
      <th scope="col" className={className}>
        {title}
      </th>
    );
  const direction = order === null ? null : order.isDescending ? 'desc' : 'asc';
  return <SortedColumn label={title} className={className} order={direction} onSort={onSort} />;
}

type BodyRowProps<Row> = Pick<Props<Row>, 'columns' | 'onPoint'> & { row: Row; href: string | null };

function BodyRow<Row>({ row, columns, href, onPoint }: BodyRowProps<Row>) {
  const [, navigate] = useLocation();
  const open = (event: MouseEvent) => {
    const isOwn = event.target instanceof Element && event.target.closest('a, button, input, label');
    if (href && !isOwn && !window.getSelection()?.toString()) navigate(href);
  };
  return (
    <tr
      className={href ? 'clickable' : undefined}
      onPointerEnter={onPoint && (() => onPoint(row))}
      onClick={href ? open : undefined}
    >
      {columns.map((column, index) => {
        const className = classOf(column, index);
        const content = column.cell(row);
        return index === 0 ? (
          <th key={column.title} scope="row" className={className}>
            {content}
          </th>
        ) : (
          <td
            key={column.title}
            className={className}
            data-title={column.title}
            data-none={content === '–' || undefined}
            data-word={(typeof content === 'string' && words.has(content)) || undefined}
          >
            {content}
          </td>
        );
      })}
    </tr>
  );
}
