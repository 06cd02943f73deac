import { Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { FormDialog } from '../../../ui/FormDialog.tsx';
import { faultOf, useChange } from '../../../ui/useChange.ts';
import { afterPriceChange, type Book } from './queries.ts';

/** A book of the organization, which begins with the prices of another one. */
export function CopyBook({ book, onClose }: { book: Book; onClose: () => void }) {
  const [name, setName] = useState('');
  const copy = useChange({
    act: async () => {
      await api.POST('/api/v1/pricing/books', { body: { name: name.trim(), based_on: book.id } });
    },
    done: 'The price book has been created. Change its prices, then choose it.',
    refresh: afterPriceChange,
    isFaultShown: true,
  });
  return (
    <FormDialog
      title="Copy the price book"
      size="md"
      deed="Create the copy"
      isDisabled={name.trim() === ''}
      isBusy={copy.isPending}
      error={copy.error}
      fields={['name']}
      onSubmit={() => copy.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        A book of your own, with the prices of “{book.name}” to begin with: for negotiated prices, or prices
        that change on a day.
      </Text>
      <TextInput
        label="Name"
        required
        maxLength={255}
        data-autofocus
        placeholder="Negotiated 2026"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={faultOf(copy.error, 'name')}
      />
    </FormDialog>
  );
}
