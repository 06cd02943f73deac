import { UnstyledButton } from '@mantine/core';

type Props = {
  label: string;
  /** Whether the list is sorted by this column, and how. */
  order: 'asc' | 'desc' | null;
  isNumber?: boolean;
  onSort: () => void;
};

/** The head of a column that the list can be sorted by. */
export function SortedColumn({ label, order, isNumber = false, onSort }: Props) {
  const direction = order === 'asc' ? 'ascending' : 'descending';
  return (
    <th scope="col" aria-sort={order === null ? 'none' : direction}>
      <UnstyledButton
        onClick={onSort}
        fz="sm"
        fw={order === null ? 600 : 800}
        display="block"
        w="100%"
        ta={isNumber ? 'right' : 'left'}
        style={{ whiteSpace: 'nowrap' }}
      >
        {label}
        <span aria-hidden="true">{order === null ? ' ↕' : order === 'asc' ? ' ↑' : ' ↓'}</span>
      </UnstyledButton>
    </th>
  );
}
