import { Button, Radio, Stack, Text } from '@mantine/core';
import { api } from '../../../api/client.ts';
import { afterPriceChange, type Book } from '../../../api/queries.ts';
import type { Answer } from '../../../api/query.ts';
import { longDay } from '../../../ui/figures.ts';
import { useChange } from '../../../ui/useChange.ts';

type Pricing = Answer<'/api/v1/pricing'>;

type Props = { list: Book[]; current: Pricing['book'] };

export function WhichPrices({ list, current }: Props) {
  const choose = useChange({
    act: async (id: string) => (await api.PUT('/api/v1/pricing', { body: { book_id: id } })).data!.data,
    done: ({ book }) => `New jobs use ${book.name}.`,
    refresh: afterPriceChange,
  });
  const chosen = current.chosen_at === null ? null : current.id;
  const next = list.find(({ next_book_id: id }) => id !== null)?.next_book_id;
  const recommended = list.find(({ id }) => id === next);
  const place = ({ id, last_day: lastDay }: Book) => (id === next ? 0 : lastDay === null ? 1 : 2);
  return (
    <Stack gap="sm">
      <Text size="sm">
        Jobs get the prices of “{current.name}”.
        {chosen === null &&
          recommended &&
          ` GitHub’s prices change now and then: with “${recommended.name}”, each job gets the price of its day.`}
      </Text>
      {chosen === null && recommended && (
        <Button
          variant="default"
          loading={choose.isPending}
          onClick={() => choose.mutate(recommended.id)}
          style={{ alignSelf: 'flex-start' }}
        >
          Use this price list
        </Button>
      )}
      <details className="command-fold">
        <summary>All price lists</summary>
        <Radio.Group
          aria-label="Price list"
          mt="xs"
          value={choose.isPending ? choose.variables : (chosen ?? next ?? null)}
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
                  label={book.id === next ? `${book.name} (recommended)` : book.name}
                  description={aboutBook(book, book.id === next)}
                />
              ))}
          </Stack>
        </Radio.Group>
      </details>
    </Stack>
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
