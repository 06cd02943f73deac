import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { DayField } from '../../../analysis/DayField.tsx';
import { api } from '../../../api/client.ts';
import { afterPriceChange, type Book } from '../../../api/queries.ts';
import { Choice } from '../../../ui/Choice.tsx';
import { Dialog } from '../../../ui/Dialog.tsx';
import { longDay } from '../../../ui/figures.ts';
import { FormError } from '../../../ui/FormError.tsx';
import { PlainForm } from '../../../ui/PlainForm.tsx';
import { RightsNote, SmallButton } from '../../../ui/rights.tsx';
import { errorOf, useChange } from '../../../ui/useChange.ts';
import { breaking, Columns, WideTable } from '../../../ui/WideTable.tsx';
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
  const isChangeable = !book.is_shipped && reason === null;
  return (
    <Dialog onClose={onClose} title={`Prices of ${book.name}`} size="xl">
      <Stack>
        {!book.is_shipped && <RightsNote reason={reason} />}
        {isChangeable ? <PriceForm book={book} onClose={onClose} /> : <PriceTable book={book} />}
      </Stack>
    </Dialog>
  );
}

function PriceTable({ book }: { book: Book }) {
  return (
    <WideTable label={`Prices of ${book.name}`} minWidth={420} maxHeight={520}>
      <Columns texts={['Runner', 'Runner kind', 'From']} numbers={['Rate per minute']} />
      <tbody>
        {book.prices.map((price) => (
          <tr key={`${price.runner_kind} ${price.effective_from}`}>
            <th scope="row" style={breaking}>
              {price.title}
            </th>
            <td>{price.runner_kind}</td>
            <td>{price.effective_from === always ? 'always' : longDay(price.effective_from)}</td>
            <td className="number">{rateInWords(price.usd_per_minute)}</td>
          </tr>
        ))}
      </tbody>
    </WideTable>
  );
}

type Price = DatedRate & { title: string };

function PriceForm({ book, onClose }: { book: Book; onClose: () => void }) {
  const [rows, setRows] = useState(() =>
    book.prices.map((price, key): Price => ({ ...datedRate(price, key), title: price.title })),
  );
  const add = (price: Omit<Price, 'key'>, place = rows.length) =>
    setRows(rows.toSpliced(place, 0, { ...price, key: keyAfter(rows) }));
  const save = useChange({
    act: () =>
      api.PUT('/api/v1/pricing/books/{id}', {
        params: { path: { id: book.id } },
        body: { prices: rows.map(storedRate) } as never,
      }),
    done: 'Prices saved.',
    refresh: afterPriceChange,
    isErrorShown: true,
  });
  const today = new Date().toISOString().slice(0, 10);
  return (
    <PlainForm onSubmit={() => save.mutate(undefined, { onSuccess: onClose })}>
      <Stack>
        <Text size="sm">
          A price applies from its day on, or always if it has no day. If a price changes, add another row for
          that runner. New jobs use these prices.
        </Text>
        <WideTable label={`Prices of ${book.name}`} minWidth={560} maxHeight={460}>
          <Columns texts={['Runner', 'Rate per minute', 'From', 'Actions']} />
          <tbody>
            {rows.map((price, index) => (
              <PriceRow
                key={price.key}
                price={price}
                error={errorOf(save.error, `prices[${index}]`)}
                onChange={(fields) => setRows(rows.with(index, { ...price, ...fields }))}
                onAdd={() => add({ ...price, from: today }, index + 1)}
                onRemove={() => setRows(rows.toSpliced(index, 1))}
              />
            ))}
          </tbody>
        </WideTable>
        <AddKind
          priced={rows.map(({ kind }) => kind)}
          onAdd={(kind) => add({ ...kind, rate: '', from: '' })}
        />
        <FormError error={save.error} fields={rows.map((_, index) => `prices[${index}]`)} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={save.isPending} disabled={rows.some(({ rate }) => rate === '')}>
            Save prices
          </Button>
        </Group>
      </Stack>
    </PlainForm>
  );
}

type RowProps = {
  price: Price;
  error: string | null;
  onChange: (fields: Partial<Price>) => void;
  onAdd: () => void;
  onRemove: () => void;
};

function PriceRow({ price, error, onChange, onAdd, onRemove }: RowProps) {
  return (
    <tr>
      <th scope="row" style={breaking}>
        {price.title}
      </th>
      <td>
        <RateInput
          aria-label={`Price of ${price.title}${price.from && ` from ${longDay(price.from)}`}`}
          size="xs"
          w={120}
          value={price.rate}
          onChange={(rate) => onChange({ rate })}
          error={error}
        />
      </td>
      <td>
        <DayField
          isCompact="bare"
          label={`Start day of the price of ${price.title}`}
          placeholder="always"
          w={150}
          value={price.from}
          onChange={(from) => onChange({ from })}
        />
      </td>
      <td>
        <Group gap={4} wrap="nowrap">
          <SmallButton aria-label={`Add a price for ${price.title}`} onClick={onAdd}>
            Add
          </SmallButton>
          <SmallButton aria-label={`Remove this price of ${price.title}`} onClick={onRemove}>
            Remove
          </SmallButton>
        </Group>
      </td>
    </tr>
  );
}

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
