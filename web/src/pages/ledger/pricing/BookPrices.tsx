import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { DayField } from '../../../analysis/DayField.tsx';
import { api } from '../../../api/client.ts';
import { afterPriceChange, type Book } from '../../../api/queries.ts';
import { numberColumn, shownColumn, textColumn } from '../../../ui/cells.tsx';
import { Choice } from '../../../ui/Choice.tsx';
import type { Column } from '../../../ui/columns.ts';
import { DataTable } from '../../../ui/DataTable.tsx';
import { Dialog } from '../../../ui/Dialog.tsx';
import { longDay } from '../../../ui/figures.ts';
import { Form } from '../../../ui/Form.tsx';
import { RightsNote, SmallButton } from '../../../ui/rights.tsx';
import { runnerKindsQuery } from './queries.ts';
import { RateInput } from './RateInput.tsx';
import {
  always,
  type DatedRate,
  datedRate,
  keyAfter,
  rateInWords,
  kindChoices,
  storedRate,
} from './words.ts';

type Props = { book: Book; reason: string | null; onClose: () => void };

export function BookPrices({ book, reason, onClose }: Props) {
  const title = `Prices of ${book.name}`;
  if (!book.is_shipped && reason === null) return <PriceForm title={title} book={book} onClose={onClose} />;
  return (
    <Dialog onClose={onClose} title={title} size="xl">
      <Stack>
        {!book.is_shipped && <RightsNote reason={reason} />}
        <DataTable
          label={title}
          minWidth={420}
          maxHeight={520}
          rows={book.prices}
          keyOf={(price) => `${price.runner_kind} ${price.effective_from}`}
          columns={columns}
        />
      </Stack>
    </Dialog>
  );
}

const columns: Column<Book['prices'][number]>[] = [
  textColumn('Runner', ({ title }) => title),
  textColumn('Runner kind', ({ runner_kind: kind }) => kind),
  shownColumn(
    'From',
    ({ effective_from: from }) => from,
    (from) => (from === always ? 'always' : longDay(from)),
  ),
  numberColumn('Rate per minute', ({ usd_per_minute: rate }) => rate, rateInWords),
];

type Price = DatedRate & { title: string };

function PriceForm({ title, book, onClose }: { title: string; book: Book; onClose: () => void }) {
  return (
    <Form
      title={title}
      size="xl"
      label="Save prices"
      initial={{
        rows: book.prices.map((price, key): Price => ({ ...datedRate(price, key), title: price.title })),
      }}
      isDisabled={({ rows }) => rows.some(({ rate }) => rate === '')}
      fields={({ values: { rows }, change, errorAt }) => {
        const replace = (place: number, removed: number, ...added: Price[]) =>
          change({ rows: rows.toSpliced(place, removed, ...added) });
        const edited = rows.map((price, index) => ({
          ...price,
          error: errorAt(`prices[${index}]`),
          onChange: (fields: Partial<Price>) => replace(index, 1, { ...price, ...fields }),
          onAdd: () => replace(index + 1, 0, { ...price, from: today(), key: keyAfter(rows) }),
          onRemove: () => replace(index, 1),
        }));
        return [
          <Text size="sm">
            A price applies from its day on, or always if it has no day. If a price changes, add another row
            for that runner. New jobs use these prices.
          </Text>,
          <DataTable
            label={title}
            minWidth={560}
            maxHeight={460}
            rows={edited}
            keyOf={({ key }) => String(key)}
            columns={editColumns}
          />,
          <AddKind
            priced={rows.map(({ kind }) => kind)}
            onAdd={(kind) => replace(rows.length, 0, { ...kind, rate: '', from: '', key: keyAfter(rows) })}
          />,
        ];
      }}
      act={({ rows }) =>
        api.PUT('/api/v1/pricing/books/{id}', {
          params: { path: { id: book.id } },
          body: { prices: rows.map(storedRate) } as never,
        })
      }
      done="Prices saved."
      refresh={afterPriceChange}
      onClose={onClose}
    />
  );
}

const today = () => new Date().toISOString().slice(0, 10);

type Edited = Price & {
  error: string | null;
  onChange: (fields: Partial<Price>) => void;
  onAdd: () => void;
  onRemove: () => void;
};

const editColumns: Column<Edited>[] = [
  { title: 'Runner', cell: ({ title }) => title },
  {
    title: 'Rate per minute',
    cell: ({ title, from, rate: value, error, onChange }) => (
      <RateInput
        aria-label={`Price of ${title}${from && ` from ${longDay(from)}`}`}
        size="xs"
        w={120}
        value={value}
        onChange={(rate) => onChange({ rate })}
        error={error}
      />
    ),
  },
  {
    title: 'From',
    cell: ({ title, from: value, onChange }) => (
      <DayField
        isCompact="bare"
        label={`Start day of the price of ${title}`}
        placeholder="always"
        w={150}
        value={value}
        onChange={(from) => onChange({ from })}
      />
    ),
  },
  {
    title: 'Actions',
    cell: ({ title, onAdd, onRemove }) => (
      <Group gap={4} wrap="nowrap">
        <SmallButton aria-label={`Add a price for ${title}`} onClick={onAdd}>
          Add
        </SmallButton>
        <SmallButton aria-label={`Remove this price of ${title}`} onClick={onRemove}>
          Remove
        </SmallButton>
      </Group>
    ),
  },
];

type AddKindProps = { priced: readonly string[]; onAdd: (kind: { kind: string; title: string }) => void };

function AddKind({ priced, onAdd }: AddKindProps) {
  const kinds = useQuery(runnerKindsQuery);
  const [chosen, setChosen] = useState<string | null>(null);
  const unpriced = kindChoices(kinds.data ?? []).filter(({ value }) => !priced.includes(value));
  const kind = unpriced.find(({ value }) => value === chosen);
  if (unpriced.length === 0) return null;
  return (
    <Group align="flex-end" gap="xs">
      <Choice
        label="Runners without a price"
        description="Their jobs count as $0."
        options={unpriced}
        none="Choose one"
        value={kind?.value ?? null}
        onChange={setChosen}
      />
      <Button
        variant="default"
        disabled={!kind}
        onClick={() => kind && onAdd({ kind: kind.value, title: kind.title })}
      >
        Add price
      </Button>
    </Group>
  );
}
