import { Table, type TableProps } from '@mantine/core';
import type { CSSProperties } from 'react';

type Props = TableProps & {
  /** What the table lists. */
  label: string;
  /** In pixels; on a narrower screen it scrolls sideways. */
  minWidth: number;
  /** In pixels; a longer table scrolls. */
  maxHeight?: number;
};

/** A table that scrolls in its own room, also by the keyboard. Its cells do not break, but those of `breaking` text. */
export function WideTable({ label, minWidth, maxHeight, children, ...props }: Props) {
  return (
    <Table.ScrollContainer
      minWidth={minWidth}
      {...(maxHeight === undefined ? {} : { maxHeight })}
      scrollAreaProps={{
        offsetScrollbars: 'present',
        viewportProps: { tabIndex: 0, role: 'group', 'aria-label': label },
      }}
    >
      <Table
        highlightOnHover
        verticalSpacing={6}
        stickyHeader={maxHeight !== undefined}
        aria-label={label}
        style={{ whiteSpace: 'nowrap' }}
        {...props}
      >
        {children}
      </Table>
    </Table.ScrollContainer>
  );
}

/** For a cell with text of any length, such as somebody's own name for something. */
export const breaking: CSSProperties = { whiteSpace: 'normal', overflowWrap: 'anywhere', minWidth: 130 };

/** Heads of columns; those of numbers stand on the right, over their figures. */
export function Columns({ texts = [], numbers = [] }: { texts?: string[]; numbers?: string[] }) {
  return (
    <Table.Thead>
      <Table.Tr>
        {texts.map((name) => (
          <Table.Th key={name} scope="col">
            {name}
          </Table.Th>
        ))}
        {numbers.map((name) => (
          <Table.Th key={name} scope="col" className="number">
            {name}
          </Table.Th>
        ))}
      </Table.Tr>
    </Table.Thead>
  );
}
