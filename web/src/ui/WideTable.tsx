import type { CSSProperties, ReactNode } from 'react';

type Props = {
  /** What the table lists. */
  label: string;
  /** In pixels; on a narrower screen it scrolls sideways. */
  minWidth: number;
  /** In pixels; a longer table scrolls. */
  maxHeight?: number;
  /** Whether the text of all cells may break. */
  wraps?: boolean;
  /** Whether the last column, of amounts or buttons, stays in sight on a phone. */
  keepsLast?: boolean;
  children: ReactNode;
};

/** A table that scrolls in its own room, also by the keyboard. Of its cells, only those of `breaking` text break, unless it `wraps`. */
export function WideTable({ label, minWidth, maxHeight, wraps = false, keepsLast = false, children }: Props) {
  return (
    <div
      className={keepsLast ? 'wide-table keeps-last' : 'wide-table'}
      tabIndex={0}
      role="group"
      aria-label={label}
      style={{ maxHeight }}
    >
      <table aria-label={label} style={{ minWidth, whiteSpace: wraps ? 'normal' : 'nowrap' }}>
        {children}
      </table>
    </div>
  );
}

/** For a cell with text of any length, such as somebody's own name for something. */
export const breaking: CSSProperties = { whiteSpace: 'normal', overflowWrap: 'anywhere', minWidth: 130 };

/** A cell of the amounts that a table is about: on a phone they stay in sight, however far it is scrolled. */
export const keptNumber = 'number kept';

type ColumnsProps = {
  texts?: string[];
  numbers?: string[];
  /** The one of `numbers` whose cells are `keptNumber`. */
  kept?: string;
};

/** Heads of columns; those of numbers stand on the right, over their figures. */
export function Columns({ texts = [], numbers = [], kept }: ColumnsProps) {
  return (
    <thead>
      <tr>
        {texts.map((name) => (
          <th key={name} scope="col">
            {name}
          </th>
        ))}
        {numbers.map((name) => (
          <th key={name} scope="col" className={name === kept ? keptNumber : 'number'}>
            {name}
          </th>
        ))}
      </tr>
    </thead>
  );
}
