import { ActionIcon, Button, Group, NumberInput, Stack, Table, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { Dialog } from '../../../shown/Dialog.tsx';
import { FormFault } from '../../../shown/FormFault.tsx';
import { RightsNote } from '../../../shown/rights.tsx';
import { faultOf, useChange } from '../../../shown/useChange.ts';
import { Columns, WideTable } from '../../../shown/WideTable.tsx';
import { afterPriceChange, type Book } from './queries.ts';
import { rateInWords } from './words.ts';

type Props = { book: Book; reason: string | null; onClose: () => void };

const always = '1970-01-01';

/** The prices of a book; those of the organization's own can be changed. */
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
    <WideTable label={`Prices of ${book.name}`} minWidth={420} maxHeight={520} fz="sm">
      <Columns texts={['Runner', 'Kind', 'From']} numbers={['USD a minute']} />
      <Table.Tbody>
        {book.prices.map((price) => (
          <Table.Tr key={`${price.runner_kind} ${price.effective_from}`}>
            <Table.Th scope="row" fw={400}>
              {price.title}
            </Table.Th>
            <Table.Td>{price.runner_kind}</Table.Td>
            <Table.Td>{price.effective_from === always ? 'always' : price.effective_from}</Table.Td>
            <Table.Td className="number">{rateInWords(price.usd_per_minute)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </WideTable>
  );
}

type Price = Book['prices'][number] & { key: string };

function PriceForm({ book, onClose }: { book: Book; onClose: () => void }) {
  const [prices, setPrices] = useState<Price[]>(() =>
    book.prices.map((price, index) => ({ ...price, key: String(index) })),
  );
  const save = useChange({
    act: async () => {
      const body = {
        prices: prices.map(({ runner_kind, usd_per_minute, effective_from }) => ({
          ...{ runner_kind, usd_per_minute, effective_from },
        })),
      };
      await api.PUT('/api/v1/pricing/books/{id}', {
        params: { path: { id: book.id } },
        body: body as never,
      });
    },
    done: 'The prices have been changed.',
    refresh: afterPriceChange,
    isFaultShown: true,
  });
  const change = (key: string, fields: Partial<Price>) =>
    setPrices(prices.map((price) => (price.key === key ? { ...price, ...fields } : price)));
  const addAfter = (price: Price) =>
    setPrices(
      prices.flatMap((each) =>
        each === price
          ? [
              each,
              { ...each, key: crypto.randomUUID(), effective_from: new Date().toISOString().slice(0, 10) },
            ]
          : [each],
      ),
    );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(undefined, { onSuccess: onClose });
      }}
    >
      <Stack>
        <Text size="sm">
          A price holds from its day on; add another one for a kind whose price changes. They price jobs that
          come from now on.
        </Text>
        <WideTable label={`Prices of ${book.name}`} minWidth={560} maxHeight={460} fz="sm">
          <Columns texts={['Runner', 'USD a minute', 'From', 'Change']} />
          <Table.Tbody>
            {prices.map((price, index) => (
              <PriceRow
                key={price.key}
                price={price}
                fault={faultOf(save.error, `prices[${index}]`)}
                onChange={(fields) => change(price.key, fields)}
                onAdd={() => addAfter(price)}
                onRemove={() => setPrices(prices.filter((each) => each !== price))}
              />
            ))}
          </Table.Tbody>
        </WideTable>
        <FormFault error={save.error} fields={[]} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={save.isPending}>
            Save the prices
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

type RowProps = {
  price: Price;
  fault: string | null;
  onChange: (fields: Partial<Price>) => void;
  onAdd: () => void;
  onRemove: () => void;
};

function PriceRow({ price, fault, onChange, onAdd, onRemove }: RowProps) {
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={400}>
        {price.title}
      </Table.Th>
      <Table.Td>
        <NumberInput
          aria-label={`Price of ${price.title} from ${price.effective_from}`}
          size="xs"
          w={120}
          min={0}
          max={10_000}
          decimalScale={9}
          prefix="$"
          hideControls
          value={price.usd_per_minute}
          onChange={(value) => onChange({ usd_per_minute: Number(value) })}
          error={fault}
        />
      </Table.Td>
      <Table.Td>
        <TextInput
          aria-label={`Day from which the price of ${price.title} holds`}
          type="date"
          size="xs"
          required
          value={price.effective_from}
          onChange={(event) => onChange({ effective_from: event.currentTarget.value })}
        />
      </Table.Td>
      <Table.Td>
        <Group gap={4} wrap="nowrap">
          <ActionIcon variant="default" aria-label={`Another price of ${price.title}`} onClick={onAdd}>
            +
          </ActionIcon>
          <ActionIcon variant="default" aria-label={`Remove this price of ${price.title}`} onClick={onRemove}>
            −
          </ActionIcon>
        </Group>
      </Table.Td>
    </Table.Tr>
  );
}
