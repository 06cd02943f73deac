import { Group, Pagination, Text } from '@mantine/core';
import { count } from './figures.ts';

type Props = {
  pagination: { total: number; page: number; per_page: number };
  /** What is listed, such as `runs`. */
  of: string;
  onPage: (page: number) => void;
};

export function Pager({ pagination: { total, page, per_page }, of, onPage }: Props) {
  const first = (page - 1) * per_page + 1;
  const last = Math.min(page * per_page, total);
  return (
    <Group justify="space-between" gap="xs" mih={32}>
      <Text size="sm" c="dimmed">
        {first > last ? '' : `${count(first)}–${count(last)} of `}
        {count(total)} {of}
      </Text>
      {total > per_page && (
        <Pagination
          size="sm"
          total={Math.ceil(total / per_page)}
          value={page}
          onChange={onPage}
          siblings={1}
          getControlProps={(control) => ({ 'aria-label': `${control} page` })}
          getItemProps={(item) => ({ 'aria-label': `Page ${item} of ${of}` })}
        />
      )}
    </Group>
  );
}
