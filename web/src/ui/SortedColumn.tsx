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
        <svg aria-hidden="true" width="8" height="12" viewBox="0 0 8 12" style={{ marginInlineStart: 5 }}>
          <path d="M0 5 4 1 8 5Z" fill="currentColor" opacity={order === 'asc' ? 1 : 0.25} />
          <path d="M0 7 4 11 8 7Z" fill="currentColor" opacity={order === 'desc' ? 1 : 0.25} />
        </svg>
      </UnstyledButton>
    </th>
  );
}
