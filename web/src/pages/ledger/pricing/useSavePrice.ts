import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { api } from '../../../api/client.ts';
import { afterPriceChange, booksQuery, type Book } from '../../../api/queries.ts';
import { useChange } from '../../../ui/useChange.ts';
import { nameOfOwnBook, withPrice, type Target } from './kinds.ts';

/** Sets the price of one row and says what that involves. */
export function useSavePrice(target: Target) {
  const books = useQuery(booksQuery).data ?? [];
  const chosen = books.find((book) => book.is_chosen);
  const ownName = nameOfOwnBook(books);
  // If the list was created but not chosen, a retry must not create another.
  const created = useRef<string>(undefined);
  const save = useChange({
    act: async (rate: number) => {
      if (target.by === 'rule') {
        const params = { path: { id: target.rule.id } };
        await api.PUT('/api/v1/pricing/rules/{id}', { params, body: { usd_per_minute: rate } });
      } else if (target.by === 'label') {
        const { match, pattern } = target;
        const name = pattern.slice(0, maxName);
        await api.POST('/api/v1/pricing/rules', { body: { match, pattern, name, usd_per_minute: rate } });
      } else if (chosen && !chosen.is_shipped) {
        await setPrice(chosen.id, target.kind, rate);
      } else if (chosen) {
        created.current ??= await createOwnList(ownName, chosen);
        await setPrice(created.current, target.kind, rate);
        await api.PUT('/api/v1/pricing', { body: { book_id: created.current } });
      }
    },
    done: 'Price saved. New jobs use it.',
    refresh: afterPriceChange,
    isErrorShown: true,
  });
  return { save, note: noteOf(target, chosen, ownName) };
}

const maxName = 100;

async function createOwnList(name: string, base: Book): Promise<string> {
  const body = { name, based_on: base.id };
  return (await api.POST('/api/v1/pricing/books', { body })).data!.data.id;
}

/** Reads the list again, so that prices set by others in the meantime stay. */
async function setPrice(id: string, kind: string, rate: number): Promise<void> {
  const params = { path: { id } };
  const { prices } = (await api.GET('/api/v1/pricing/books/{id}', { params })).data!.data;
  const today = new Date().toISOString().slice(0, 10);
  const changed = withPrice(prices, kind, rate, today).map(
    ({ runner_kind, usd_per_minute, effective_from }) => ({ runner_kind, usd_per_minute, effective_from }),
  );
  await api.PUT('/api/v1/pricing/books/{id}', { params, body: { prices: changed } as never });
}

function noteOf(target: Target, chosen: Book | undefined, ownName: string): string | null {
  if (target.by === 'label') return `Adds a rule for the ${target.match === 'label' ? 'label' : 'group'}.`;
  if (target.by === 'rule' || !chosen) return null;
  if (!chosen.is_shipped) return 'From today on.';
  return `From today on, in “${ownName}”: a copy of the list in use, used from now on.`;
}
