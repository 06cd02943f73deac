import { Button, Group, Radio, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Answer } from '../../../api/answer.ts';
import { api } from '../../../api/client.ts';
import { longDay } from '../../../ui/figures.ts';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { useChange } from '../../../ui/useChange.ts';
import { afterPriceChange, booksQuery, pricingQuery, type Book } from '../../ledger/pricing/queries.ts';

type Pricing = Answer<'/api/v1/pricing'>;

export function WhichPrices() {
  const books = useQuery(booksQuery);
  const pricing = useQuery(pricingQuery);
  return (
    <Panel title="Which price list applies?">
      <Text size="sm">It prices every new job. You can change it in Settings, Pricing.</Text>
      <Loaded query={books} height={height}>
        {(list) => (
          <Loaded query={pricing} height={height}>
            {({ book }) => <Books list={list} current={book} />}
          </Loaded>
        )}
      </Loaded>
    </Panel>
  );
}

const height = 240;

type BooksProps = { list: Book[]; current: Pricing['book'] };

function Books({ list, current }: BooksProps) {
  const choose = useChange({
    act: async (id: string) => (await api.PUT('/api/v1/pricing', { body: { book_id: id } })).data!.data,
    done: ({ book }) => `New jobs use ${book.name}.`,
    refresh: afterPriceChange,
  });
  const chosen = current.chosen_at === null ? null : current.id;
  const recommended = list.find(({ next_book_id: next }) => next !== null)?.next_book_id;
  const place = ({ id, last_day: lastDay }: Book) => (id === recommended ? 0 : lastDay === null ? 1 : 2);
  return (
    <>
      <Radio.Group
        aria-label="Price list"
        value={choose.isPending ? choose.variables : (chosen ?? recommended ?? null)}
        onChange={(id) => choose.mutate(id)}
      >
        <Stack gap="sm">
          {list
            .toSorted((a, b) => place(a) - place(b))
            .map((book) => (
              <Radio
                key={book.id}
                value={book.id}
                disabled={choose.isPending}
                label={book.id === recommended ? `${book.name} (recommended)` : book.name}
                description={aboutBook(book, book.id === recommended)}
              />
            ))}
        </Stack>
      </Radio.Group>
      <Group gap="sm">
        {chosen === null && recommended && (
          <Button variant="default" loading={choose.isPending} onClick={() => choose.mutate(recommended)}>
            Use this price list
          </Button>
        )}
        <Text size="sm" c="dimmed">
          {chosen === null ? `Until then, ${current.name} applies.` : `In use: ${current.name}.`}
        </Text>
      </Group>
    </>
  );
}

function aboutBook(book: Book, isRecommended: boolean): string {
  if (isRecommended) return 'Each job uses the price list of its day, so old and new jobs are both right.';
  if (book.last_day !== null)
    return `One list for all days. It ended on ${longDay(book.last_day)}. Later jobs show what they would have cost then.`;
  return book.is_shipped
    ? 'One list for all days. Earlier jobs show what they would cost now.'
    : 'Your own price list.';
}
