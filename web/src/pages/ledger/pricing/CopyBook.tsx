import { Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { afterPriceChange, type Book } from '../../../api/queries.ts';
import { FormDialog } from '../../../ui/FormDialog.tsx';
import { errorOf, useChange } from '../../../ui/useChange.ts';

export function CopyBook({ book, onClose }: { book: Book; onClose: () => void }) {
  const [name, setName] = useState('');
  const copy = useChange({
    act: async () => {
      await api.POST('/api/v1/pricing/books', { body: { name: name.trim(), based_on: book.id } });
    },
    done: 'Price list created. Change its prices, then use it.',
    refresh: afterPriceChange,
    isErrorShown: true,
  });
  return (
    <FormDialog
      title="Copy price list"
      size="md"
      label="Create copy"
      isDisabled={name.trim() === ''}
      isBusy={copy.isPending}
      error={copy.error}
      fields={['name']}
      onSubmit={() => copy.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        Creates your own price list with the prices of “{book.name}”. Use it for negotiated prices, or for
        prices that change on a date.
      </Text>
      <TextInput
        label="Name"
        required
        maxLength={255}
        data-autofocus
        placeholder="Negotiated 2026"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={errorOf(copy.error, 'name')}
      />
    </FormDialog>
  );
}
