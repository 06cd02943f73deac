import { UnstyledButton } from '@mantine/core';

type Props = {
  label: string;
  /** Whether the list is sorted by this column, and how. */
  order: 'asc' | 'desc' | null;
  /** Of the head's cell; what is in it stands as the cell's text does. */
  className: string;
  onSort: () => void;
};

/** The head of a column that the list can be sorted by. */
export function SortedColumn({ label, order, className, onSort }: Props) {
  const direction = order === 'asc' ? 'ascending' : 'descending';
  return (
    <th scope="col" className={className} aria-sort={order === null ? 'none' : direction}>
      <UnstyledButton
        onClick={onSort}
        fz="sm"
        fw={order === null ? 600 : 800}
        display="block"
        w="100%"
        ta="inherit"
        style={{ whiteSpace: 'nowrap' }}
      >
        {label}
        <span aria-hidden="true">{order === null ? ' ↕' : order === 'asc' ? ' ↑' : ' ↓'}</span>
      </UnstyledButton>
    </th>
  );
}
