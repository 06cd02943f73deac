import { UnstyledButton } from '@mantine/core';
import type { ReactNode } from 'react';

type Props = {
  label: string;
  /** Pixels. It scrolls sideways on narrower screens. */
  minWidth: number;
  /** Pixels. A longer table scrolls. */
  maxHeight?: number | undefined;
  /** Whether a row takes two lines on phones. Cells have their titles in `data-title`. */
  isStacked?: boolean;
  children: ReactNode;
};

/** A table that scrolls by itself, also by keyboard. Only names and `breaking` cells wrap. */
export function WideTable(props: Props) {
  const { label, minWidth, maxHeight, isStacked = false, children } = props;
  return (
    <div
      className={isStacked ? 'wide-table stacked' : 'wide-table'}
      tabIndex={0}
      role="group"
      aria-label={label}
      style={{ maxHeight }}
    >
      <table aria-label={label} style={{ minWidth, whiteSpace: 'nowrap' }}>
        {children}
      </table>
    </div>
  );
}

type SortedColumnProps = {
  label: string;
  order: 'asc' | 'desc' | null;
  className: string;
  /** Undefined if the rows have only this order. */
  onSort: (() => void) | undefined;
};

export function SortedColumn({ label, order, className, onSort }: SortedColumnProps) {
  const direction = order === 'asc' ? 'ascending' : 'descending';
  const content = (
    <>
      {label}
      <svg aria-hidden="true" width="9" height="12" viewBox="0 0 9 12">
        {order !== 'desc' && <path d="M0.5 5 4.5 0.5 8.5 5Z" />}
        {order !== 'asc' && <path d="M0.5 7 4.5 11.5 8.5 7Z" />}
      </svg>
    </>
  );
  return (
    <th scope="col" className={className} aria-sort={order === null ? 'none' : direction}>
      {onSort ? (
        <UnstyledButton onClick={onSort} className="sorted-column">
          {content}
        </UnstyledButton>
      ) : (
        <span className="sorted-column">{content}</span>
      )}
    </th>
  );
}
