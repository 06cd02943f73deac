import { ActionIcon } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { Fragment, useState, type MouseEvent, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { orderAfter, sortedBy, sortOf, type Column, type Order } from './columns.ts';
import { actionsColumn, ConfirmRemoval, type Opened, type RowActions } from './rowActions.tsx';
import { SortedColumn, WideTable } from './WideTable.tsx';

/** Rows with an id need no other key. */
export type Keyed<Row> = [Row] extends [{ id: string }]
  ? { keyOf?: (row: Row) => string }
  : { keyOf: (row: Row) => string };

export function keyIn<Row>({ keyOf }: { keyOf?: (row: Row) => string }): (row: Row) => string {
  return keyOf ?? ((row) => (row as { id: string }).id);
}

type Props<Row> = {
  label: string;
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  /** Null without the rights. */
  rowActions?: RowActions<Row> | null | undefined;
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
  /** What a click on a row shows below it. Only one row is open. */
  details?: { of: (row: Row) => ReactNode; label: (row: Row, isOpen: boolean) => string };
};

/** The table of all lists: a click on a header sorts, a click on a row opens it. */
export function DataTable<Row>(props: Props<Row> & Keyed<Row>) {
  const { label, rows, rowActions, minWidth, maxHeight, isPart, onOrder, onPoint } = props;
  const keyOf = keyIn<Row>(props);
  const [opened, setOpened] = useState<Opened<Row> | null>(null);
  const close = () => setOpened(null);
  const columns = rowActions ? [...props.columns, actionsColumn(rowActions, setOpened)] : props.columns;
  const { isStacked = false, details } = props;
  const [openKey, setOpenKey] = useState<string | null>(null);
  const isSorted = (column: Column<Row>) => (onOrder ? !!column.sort : !!column.value && !isPart);
  const [chosen, setChosen] = useState<Order | null>(props.order ?? null);
  const order = onOrder ? (props.order ?? null) : chosen;
  const shown = (onOrder ? rows : sortedBy(rows, columns, order)).slice(0, props.maxRows);
  const sortBy = (column: Column<Row>): void => (onOrder ?? setChosen)(orderAfter(column, order));
  const table = (
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
          {details && (
            <th scope="col" className="row-actions">
              Details
            </th>
          )}
        </tr>
      </thead>
      <tbody onPointerLeave={onPoint && (() => onPoint(null))}>
        {shown.map((row) => {
          const key = keyOf(row);
          const isOpen = key === openKey;
          const body = { row, columns, href: props.hrefOf?.(row) ?? null, onPoint };
          if (!details) return <BodyRow key={key} {...body} />;
          const toggle = () => setOpenKey(isOpen ? null : key);
          return (
            <Fragment key={key}>
              <BodyRow
                {...body}
                onToggle={toggle}
                last={<Toggle id={key} label={details.label(row, isOpen)} isOpen={isOpen} onClick={toggle} />}
              />
              {isOpen && (
                <tr id={`of-${key}`}>
                  <td colSpan={columns.length + 1} style={{ padding: 'var(--mantine-spacing-md)' }}>
                    {/* As wide as the visible part of the table, however long the lines in it are. */}
                    <div className="row-details">{details.of(row)}</div>
                  </td>
                </tr>
              )}
            </Fragment>
          );
        })}
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
  return (
    <>
      {details ? <div className="with-details">{table}</div> : table}
      {rowActions && opened?.what === 'edit' && rowActions.edit?.form(opened.row, close)}
      {rowActions && opened?.what === 'remove' && (
        <ConfirmRemoval row={opened.row} removal={rowActions.remove} onClose={close} />
      )}
    </>
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
  const direction = order === null ? null : order.isDescending ? 'desc' : 'asc';
  if (!onSort && direction === null)
    return (
      <th scope="col" className={className}>
        {title}
      </th>
    );
  return <SortedColumn label={title} className={className} order={direction} onSort={onSort} />;
}

type BodyRowProps<Row> = Pick<Props<Row>, 'columns' | 'onPoint'> & {
  row: Row;
  href: string | null;
  onToggle?: () => void;
  last?: ReactNode;
};

function BodyRow<Row>({ row, columns, href, onPoint, onToggle, last }: BodyRowProps<Row>) {
  const [, navigate] = useLocation();
  const act = onToggle ?? (href === null ? undefined : () => navigate(href));
  const open = (event: MouseEvent) => {
    const isOwn = event.target instanceof Element && event.target.closest('a, button, input, label');
    if (!isOwn && !window.getSelection()?.toString()) act?.();
  };
  return (
    <tr className={act && 'clickable'} onPointerEnter={onPoint && (() => onPoint(row))} onClick={act && open}>
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
      {last && <td className="row-actions">{last}</td>}
    </tr>
  );
}

type ToggleProps = { id: string; label: string; isOpen: boolean; onClick: () => void };

function Toggle({ id, label, isOpen, onClick }: ToggleProps) {
  return (
    <ActionIcon
      size={26}
      variant="subtle"
      color="gray"
      className="row-icon"
      aria-expanded={isOpen}
      aria-controls={isOpen ? `of-${id}` : undefined}
      aria-label={label}
      onClick={onClick}
    >
      <IconChevronDown size={16} aria-hidden style={{ rotate: isOpen ? '180deg' : '0deg' }} />
    </ActionIcon>
  );
}
