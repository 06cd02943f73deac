import { UnstyledButton } from '@mantine/core';

type Props = {
  label: string;
  order: 'asc' | 'desc' | null;
  className: string;
  onSort: () => void;
};

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
