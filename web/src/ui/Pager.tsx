import { Group, Pagination } from '@mantine/core';
import { count, countOf } from './figures.ts';
import { Note } from './text.tsx';

export type Pagination = { total: number; page: number; per_page: number };

type Props = {
  pagination: Pagination;
  one: string;
  many?: string;
  /** Follows the count, in brackets. */
  note?: string | undefined;
  onPage: (page: number) => void;
};

export function Pager({ pagination, one, many = `${one}s`, note, onPage }: Props) {
  const { total, page, per_page } = pagination;
  const first = (page - 1) * per_page + 1;
  const last = Math.min(page * per_page, total);
  return (
    <Group justify="space-between" gap="xs" {...(total > per_page && { mih: 32 })}>
      <Note>
        {total > per_page && first <= last && `${count(first)}–${count(last)} of `}
        {total > 0 && countOf(total, one, many)}
        {note && ` (${note})`}
      </Note>
      {total > per_page && (
        <Pagination
          size="sm"
          total={Math.ceil(total / per_page)}
          value={page}
          onChange={onPage}
          siblings={1}
          getControlProps={(control) => ({ 'aria-label': `${control} page` })}
          getItemProps={(item) => ({ 'aria-label': `Page ${item} of ${many}` })}
        />
      )}
    </Group>
  );
}
