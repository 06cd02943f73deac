import { Badge, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { afterPriceChange, booksQuery, type Book } from '../../../api/queries.ts';
import { countColumn, textColumn } from '../../../ui/cells.tsx';
import type { Column } from '../../../ui/columns.ts';
import { DataTable } from '../../../ui/DataTable.tsx';
import { Confirm } from '../../../ui/Dialog.tsx';
import { longDay } from '../../../ui/figures.ts';
import { Form } from '../../../ui/Form.tsx';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { SmallButton } from '../../../ui/rights.tsx';
import { RowMenu } from '../../../ui/RowMenu.tsx';
import { LongText, Note } from '../../../ui/text.tsx';
import { useChange } from '../../../ui/useChange.ts';
import { BookPrices } from './BookPrices.tsx';
import { WhatIfPreviewWithFee } from './WhatIfPreview.tsx';

type Opened = { what: 'prices' | 'choose' | 'copy' | 'delete'; book: Book } | null;

export function BooksPanel({ reason }: { reason: string | null }) {
  const books = useQuery(booksQuery);
  const [opened, setOpened] = useState<Opened>(null);
  const close = () => setOpened(null);
  return (
    <Panel title="Price lists">
      <Note>
        The list in use prices every new job, in US dollars per minute, before discounts from a plan or
        contract. Recorded jobs keep their price.
      </Note>
      <Loaded query={books} height={140}>
        {(list) => (
          <DataTable
            label="Price lists"
            minWidth={640}
            rows={list.toSorted((a, b) => Number(b.is_chosen) - Number(a.is_chosen))}
            columns={columnsFor(list, reason, setOpened)}
            isStacked
          />
        )}
      </Loaded>
      {opened?.what === 'prices' && <BookPrices book={opened.book} reason={reason} onClose={close} />}
      {opened?.what === 'choose' && <ChooseBook book={opened.book} onClose={close} />}
      {opened?.what === 'copy' && <CopyBook book={opened.book} onClose={close} />}
      {opened?.what === 'delete' && <DeleteBook book={opened.book} onClose={close} />}
    </Panel>
  );
}

function columnsFor(
  books: readonly Book[],
  reason: string | null,
  onOpen: (opened: Opened) => void,
): Column<Book>[] {
  const basisOf = ({ based_on: id }: Book) =>
    id === null ? '–' : (books.find((book) => book.id === id)?.name ?? 'a deleted list');
  return [
    { title: 'Price list', value: ({ name }) => name, cell: (book) => <Name book={book} /> },
    ...(books.some(({ based_on: id }) => id !== null)
      ? [textColumn('Based on', basisOf, { className: 'long-text' })]
      : []),
    countColumn('Prices', ({ prices }) => prices.length, { isHiddenOnPhones: true }),
    { title: 'Actions', cell: (book) => <BookButtons book={book} reason={reason} onOpen={onOpen} /> },
  ];
}

function Name({ book }: { book: Book }) {
  return (
    <Group gap="xs">
      <Text size="sm" fw={500}>
        {book.name}
      </Text>
      {book.is_chosen && (
        <Badge variant="light" tt="none">
          In use
        </Badge>
      )}
      {book.last_day !== null && <Ended lastDay={book.last_day} />}
    </Group>
  );
}

type ButtonsProps = { book: Book; reason: string | null; onOpen: (opened: Opened) => void };

function BookButtons({ book, reason, onOpen }: ButtonsProps) {
  const items = [
    ...(book.is_chosen ? [] : [{ what: 'choose' as const, label: 'Use' }]),
    { what: 'copy' as const, label: 'Copy' },
    ...(book.is_shipped || book.is_chosen ? [] : [{ what: 'delete' as const, label: 'Delete' }]),
  ];
  return (
    <Group gap="xs" wrap="nowrap">
      <SmallButton aria-label={`Prices of ${book.name}`} onClick={() => onOpen({ what: 'prices', book })}>
        Prices
      </SmallButton>
      {reason === null && (
        <RowMenu
          of={book.name}
          items={items.map(({ what, label }) => ({ label, onClick: () => onOpen({ what, book }) }))}
        />
      )}
    </Group>
  );
}

function Ended({ lastDay }: { lastDay: string }) {
  const hasEnded = lastDay < new Date().toISOString().slice(0, 10);
  return (
    <Badge variant="default" tt="none">
      {hasEnded ? 'Ended' : 'Ends'} {longDay(lastDay)}
    </Badge>
  );
}

function DeleteBook({ book, onClose }: { book: Book; onClose: () => void }) {
  const remove = useChange({
    act: () => api.DELETE('/api/v1/pricing/books/{id}', { params: { path: { id: book.id } } }),
    done: `${book.name} was deleted.`,
    refresh: afterPriceChange,
  });
  return (
    <Confirm title="Delete this price list?" label="Delete price list" change={remove} onClose={onClose}>
      You can no longer use “{book.name}”. Jobs priced with it keep their price, and their receipts keep its
      name.
    </Confirm>
  );
}

function ChooseBook({ book, onClose }: { book: Book; onClose: () => void }) {
  return (
    <Form
      title="Use this price list?"
      size="xl"
      label="Use price list"
      initial={{}}
      fields={[
        <LongText>
          New jobs will use <b>{book.name}</b>. Recorded jobs keep their price until you reprice them. For
          comparison, with today&apos;s rules:
        </LongText>,
        <WhatIfPreviewWithFee proposal={{ book_id: book.id }} />,
      ]}
      act={() => api.PUT('/api/v1/pricing', { body: { book_id: book.id } })}
      done={`New jobs use ${book.name}.`}
      refresh={afterPriceChange}
      onClose={onClose}
    />
  );
}

function CopyBook({ book, onClose }: { book: Book; onClose: () => void }) {
  return (
    <Form
      title="Copy price list"
      size="md"
      label="Create copy"
      initial={{ name: '' }}
      isDisabled={({ name }) => name === ''}
      fields={[
        <LongText>
          Creates your own price list with the prices of “{book.name}”. Use it for negotiated prices, or for
          prices that change on a date.
        </LongText>,
        {
          name: 'name',
          label: 'Name',
          required: true,
          maxLength: 255,
          'data-autofocus': true,
          placeholder: 'Negotiated 2026',
        },
      ]}
      act={({ name }) => api.POST('/api/v1/pricing/books', { body: { name, based_on: book.id } })}
      done="Price list created. Change its prices, then use it."
      refresh={afterPriceChange}
      onClose={onClose}
    />
  );
}
