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
      <UnstyledButton onClick={onSort} className="sorted-column">
        {label}
        <svg aria-hidden="true" width="9" height="12" viewBox="0 0 9 12">
          {order !== 'desc' && <path d="M0.5 5 4.5 0.5 8.5 5Z" />}
          {order !== 'asc' && <path d="M0.5 7 4.5 11.5 8.5 7Z" />}
        </svg>
      </UnstyledButton>
    </th>
  );
}
